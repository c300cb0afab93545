import { COUNT_FIELDS } from '../../../contract/signing/index.ts';
import { plainYield, sourceOf } from '../../../integrity/index.ts';
import { type Receipts, type WitnessedGrowth, witnessedGrowth } from './receipts.ts';

const FIELDS = COUNT_FIELDS.length;

/** A vouching day has at least this share of a Yield, */
const VOUCHED_SHARE = 1 / 3;
/** and, of what a row needs to be ranked, at least a hundredth: tokens, and input. */
const LEAST_TOKENS = 4_000;
const LEAST_INPUT = 10;

/** Days before the kept ones are counted by powers of this of their Yield. */
const POWER = 3;

/** Days of receipt before the kept ones, of one of `SOURCES` or, with null, of all streams together: so they are few. */
export interface OlderDays {
  readonly platform: string | null;
  /** The days have a Yield from 3^power up to three times as much; null for those that can vouch for nothing. */
  readonly power: number | null;
  readonly days: number;
}

/** A stream as far as witnessed days need it. */
export interface ReceivedStream {
  readonly platform: string;
  readonly receipts: Receipts;
}

/** What days of receipt witness: of all streams, or of those of one platform. */
export interface Witness extends WitnessedGrowth {
  readonly older: readonly OlderDays[];
}

/** The witness of all streams (null) or of those of one platform. */
export function witnessOf(
  streams: readonly ReceivedStream[],
  older: readonly OlderDays[],
  platform: string | null = null,
): Witness {
  const own = platform === null ? streams : streams.filter((stream) => stream.platform === platform);
  const growth = witnessedGrowth(own.map(({ receipts }) => receipts));
  return { ...growth, older: older.filter((of) => of.platform === platform) };
}

/** The sum of the counts that a day's growth, which begins at `at`, has. */
function tokensAt(growth: Float64Array, at: number): number {
  return growth[at]! + growth[at + 1]! + growth[at + 2]! + growth[at + 3]!;
}

/** The Yield that a day's growth can vouch for; 0 when it is too small. */
function yieldAt(growth: Float64Array, at: number): number {
  const isLarge = growth[at]! >= LEAST_INPUT && tokensAt(growth, at) >= LEAST_TOKENS;
  return isLarge ? plainYield(growth[at]!, growth[at + 1]!, growth[at + 2]!) : 0;
}

/** How many days vouch for a Yield. An older day counts by the greatest Yield of its power: a settled row stays settled. */
export function vouchingDays({ growth, older }: Witness, yield_: number): number {
  if (!(yield_ > 0)) return 0;
  const least = yield_ * VOUCHED_SHARE;
  let vouching = 0;
  for (let at = 0; at < growth.length; at += FIELDS) if (yieldAt(growth, at) >= least) vouching++;
  for (const { power, days } of older) if (power !== null && POWER ** (power + 1) > least) vouching += days;
  return vouching;
}

/** The kept days that are witnessed, ascending. */
export function keptDays({ first, growth }: WitnessedGrowth): number[] {
  const days: number[] = [];
  for (let at = 0; at < growth.length; at += FIELDS) if (tokensAt(growth, at) > 0) days.push(first + at / FIELDS);
  return days;
}

/** How many days are witnessed: of the kept ones, and ever. */
export function witnessedDays(witness: Witness): { readonly recent: number; readonly ever: number } {
  const recent = keptDays(witness).length;
  return { recent, ever: witness.older.reduce((sum, { days }) => sum + days, recent) };
}

/** The older days with the days of receipt before `first`: of all streams, and of each platform. */
export function addOlder(streams: readonly ReceivedStream[], older: readonly OlderDays[], first: number): OlderDays[] {
  const counted = new Map(older.map((of) => [`${of.power} ${of.platform ?? ''}`, of]));
  const known = new Set(streams.map(({ platform }) => platform).filter((platform) => sourceOf(platform) > 0));
  for (const platform of [null, ...known]) {
    const witness = witnessOf(streams, [], platform);
    for (const day of keptDays(witness)) {
      if (day >= first) break;
      const yield_ = yieldAt(witness.growth, (day - witness.first) * FIELDS);
      const power = yield_ > 0 ? powerBelow(yield_) : null;
      const key = `${power} ${platform ?? ''}`;
      counted.set(key, { platform, power, days: (counted.get(key)?.days ?? 0) + 1 });
    }
  }
  return [...counted.values()].toSorted(
    (a, b) => compare(a.platform ?? '', b.platform ?? '') || (a.power ?? -Infinity) - (b.power ?? -Infinity),
  );
}

/** The power in whose range a Yield is: the quotient of logarithms of an exact power can be below it. */
function powerBelow(yield_: number): number {
  const power = Math.floor(Math.log(yield_) / Math.log(POWER));
  return POWER ** (power + 1) <= yield_ ? power + 1 : power;
}

const compare = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0);
