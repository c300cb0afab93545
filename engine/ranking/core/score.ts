import type { Counts } from '../../contract/signing/index.ts';
import type { UnrankedReason } from '../../contract/unranked.ts';
import type { Methodology } from '../methodologies/methodology.ts';

/** The three scores of one operator in one window: finite and at least 0. */
export interface Score {
  readonly yield_: number;
  readonly leverage: number;
  readonly velocity: number;
}

/** Maximum number of decimals in a cascade string. */
const CASCADE_DECIMALS = 2;

/** From this value on a ratio is written with an exponent, which bounds a cascade string to 45 characters. */
const EXPONENT_FROM = 1e21;

/** Percentile steps per percentage point: two decimals. */
const PERCENTILE_STEPS = 100;

/** Yield formulas by id. Never edit a published one: the order of its floating-point operations determines its results. */
const FORMULAS: Readonly<Record<Methodology['formula'], (input: number, output: number, cacheRead: number) => number>> =
  {
    'yield-1': (input, output, cacheRead) => (cacheRead * output) / (input * input),
  };

/**
 * Scores window totals under a methodology; null when they cannot be ranked.
 *
 * Totals cannot be ranked without input, below the methodology's eligibility, or when a score is not a finite number.
 * The last needs tiny fractions of a token: the square of an input under about 1e-162 underflows to 0, and an input under
 * about 1e-136 can overflow the quotient. Large totals cannot overflow: sums of 64 streams stay below 2^60 and their
 * products below 2^120. A product `cache_read × output` that underflows counts as 0, and a Yield of 0 is ranked.
 */
export function scoreOf(totals: Counts, methodology: Methodology): Score | null {
  const { input, output, cache_read, cache_write } = totals;
  const yield_ = yieldUnder(methodology)(input, output, cache_read, cache_write);
  if (Number.isNaN(yield_)) return null;
  return { yield_, leverage: normaliseZero(cache_read / input), velocity: normaliseZero(output / input) };
}

/** Returns the Yield of counts, or NaN when they cannot be ranked. Unlike `scoreOf` it allocates nothing. */
export type YieldOf = (input: number, output: number, cacheRead: number, cacheWrite: number) => number;

export function yieldUnder({ formula, eligibility }: Methodology): YieldOf {
  const yieldOf = FORMULAS[formula];
  const { minimum_tokens, minimum_input, minimum_input_share } = eligibility;
  return (input, output, cacheRead, cacheWrite) => {
    const tokens = input + output + cacheRead + cacheWrite;
    const isEligible =
      input > 0 && input >= minimum_input && tokens >= minimum_tokens && input >= minimum_input_share * tokens;
    if (!isEligible || !Number.isFinite(cacheRead / input) || !Number.isFinite(output / input)) return Number.NaN;
    const yield_ = yieldOf(input, output, cacheRead);
    return Number.isFinite(yield_) ? normaliseZero(yield_) : Number.NaN;
  };
}

/** Why totals have no score; null when they have one. */
export function unrankedReason(totals: Counts, methodology: Methodology): UnrankedReason | null {
  if (scoreOf(totals, methodology) !== null) return null;
  const { input, output, cache_read, cache_write } = totals;
  const { minimum_tokens, minimum_input, minimum_input_share } = methodology.eligibility;
  const tokens = input + output + cache_read + cache_write;
  if (tokens === 0) return 'no_tokens';
  if (input === 0) return 'no_input';
  if (tokens < minimum_tokens) return 'too_few_tokens';
  if (input < minimum_input) return 'too_little_input';
  return input < minimum_input_share * tokens ? 'input_share_too_small' : 'not_computable';
}

/** The name of the class tier that a Yield (at least 0) belongs to. */
export function tierOf(yield_: number, methodology: Methodology): string {
  const tier = methodology.tiers.findLast(({ from }) => from <= yield_);
  if (tier === undefined) throw new RangeError(`methodology ${methodology.id} has no tier for a Yield of ${yield_}`);
  return tier.name;
}

/** The ratio cache : input : output with input as 1, for example `12.5:1:0.31`, at most 45 characters; null without a score. */
export function cascadeString(score: Score | null): string | null {
  return score && `${plainDecimal(score.leverage)}:1:${plainDecimal(score.velocity)}`;
}

/**
 * Percentage of ranked operators at or below a rank, 0 to 100 with two decimals. `total` includes the operator at `rank`.
 * Throws RangeError for a rank outside 1 to `total`.
 */
export function percentileOf(rank: number, total: number): number {
  if (!(rank >= 1 && rank <= total)) throw new RangeError(`rank ${rank} is not within 1 to ${total}`);
  return Math.round((100 * PERCENTILE_STEPS * (total - rank + 1)) / total) / PERCENTILE_STEPS;
}

/** Maps −0 to 0: sorting and storage compare bit patterns. */
function normaliseZero(value: number): number {
  return value + 0;
}

function plainDecimal(value: number): string {
  if (value >= EXPONENT_FROM) return value.toExponential(CASCADE_DECIMALS).replace('e+', 'e');
  return value.toFixed(CASCADE_DECIMALS).replace(/\.?0+$/, '');
}
