import type { Counts } from '../../contract/signing/index.ts';
import type { Methodology } from '../methodologies/methodology.ts';

/** The three scores of one operator in one window: finite and at least 0. */
export interface Score {
  readonly yield_: number;
  readonly leverage: number;
  readonly velocity: number;
}

/** Decimals of a cascade string's numbers, at most. */
const CASCADE_DECIMALS = 2;

/** From here on a double has no fraction and `toFixed` answers in exponent notation. */
const TO_FIXED_LIMIT = 1e21;

/** Steps of a percentile within one per cent: two decimals. */
const PERCENTILE_STEPS = 100;

/** The formulas of Yields that methodologies name. A published one is never edited: the order of its operations is its meaning. */
const FORMULAS: Readonly<Record<Methodology['formula'], (input: number, output: number, cacheRead: number) => number>> =
  {
    'yield-1': (input, output, cacheRead) => (cacheRead * output) / (input * input),
  };

/**
 * Scores window totals under a methodology; null when they cannot be ranked.
 *
 * Totals are not rankable without input, below the methodology's eligibility, or when a score is not a finite number.
 * The last happens only with fractions of a token far below one: an input under about 1e-162 has a square that is no
 * longer above 0, and an input under about 1e-136 can lift the quotient over the largest double. Both would stand for
 * infinity, which is never a rank. The other end is sound: sums of 64 streams stay below 2^60 and their products below
 * 2^120. A product `cache_read × output` too small for a double counts as 0, and a Yield of 0 is ranked like any other.
 */
export function scoreOf(totals: Counts, methodology: Methodology): Score | null {
  const { input, output, cache_read, cache_write } = totals;
  const yield_ = yieldUnder(methodology)(input, output, cache_read, cache_write);
  if (Number.isNaN(yield_)) return null;
  return { yield_, leverage: withoutSign(cache_read / input), velocity: withoutSign(output / input) };
}

/** The Yield that counts have, or NaN where they cannot be ranked: `scoreOf` for whoever scores a million of them. */
export type YieldOf = (input: number, output: number, cacheRead: number, cacheWrite: number) => number;

export function yieldUnder({ formula, eligibility }: Methodology): YieldOf {
  const yieldOf = FORMULAS[formula];
  const { minimum_tokens, minimum_input_share } = eligibility;
  return (input, output, cacheRead, cacheWrite) => {
    const tokens = input + output + cacheRead + cacheWrite;
    const isEligible = input > 0 && tokens >= minimum_tokens && input >= minimum_input_share * tokens;
    if (!isEligible || !Number.isFinite(cacheRead / input) || !Number.isFinite(output / input)) return Number.NaN;
    const yield_ = yieldOf(input, output, cacheRead);
    return Number.isFinite(yield_) ? withoutSign(yield_) : Number.NaN;
  };
}

/** The name of the class tier that a Yield (at least 0) belongs to. */
export function tierOf(yield_: number, methodology: Methodology): string {
  const tier = methodology.tiers.findLast(({ from }) => from <= yield_);
  if (tier === undefined) throw new RangeError(`methodology ${methodology.id} has no tier for a Yield of ${yield_}`);
  return tier.name;
}

/** The ratio cache : input : output with input as 1, such as `12.5:1:0.31`; null for an operator that cannot be ranked. */
export function cascadeString(score: Score | null): string | null {
  return score && `${plainDecimal(score.leverage)}:1:${plainDecimal(score.velocity)}`;
}

/**
 * The share of ranked operators at or below a rank, 0 to 100 with two decimals. `total` counts the ranked operators, the
 * one at `rank` among them: a rank outside 1 to `total` is an error of the caller (RangeError).
 */
export function percentileOf(rank: number, total: number): number {
  if (!(rank >= 1 && rank <= total)) throw new RangeError(`rank ${rank} is not among ${total} ranked operators`);
  return Math.round((100 * PERCENTILE_STEPS * (total - rank + 1)) / total) / PERCENTILE_STEPS;
}

/** Turns −0 into 0: the two are equal as Yields, and must be one bit pattern where Yields are sorted and stored. */
function withoutSign(value: number): number {
  return value + 0;
}

function plainDecimal(value: number): string {
  if (value >= TO_FIXED_LIMIT) return BigInt(value).toString();
  return value.toFixed(CASCADE_DECIMALS).replace(/\.?0+$/, '');
}
