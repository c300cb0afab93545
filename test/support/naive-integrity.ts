import { RULE_SETS, RULES } from '../../engine/integrity/index.ts';
import type { Methodology } from '../../engine/ranking/methodologies/index.ts';
import { naiveEligibility } from './naive-eligibility.ts';
import {
  DAY,
  greatest,
  HOUR,
  type NaiveSnapshot,
  type NaiveWindowUsage,
  streamsOf,
  windowStarts,
} from './naive-usage.ts';

/**
 * The reference model of witnessed days and of the judgement of rows: it computes them from all accepted snapshots, directly from the
 * definitions, and shares with the engine only bounds, references and names of rules, which are data.
 */
export interface NaiveWitness {
  /** Growth by day of receipt, of the days that are kept one by one. */
  readonly growth: ReadonlyMap<number, readonly number[]>;
  /** Counts of days before them, by the upper end of what they vouch for; 0 for those that vouch for nothing. */
  readonly older: readonly { readonly upTo: number; readonly days: number }[];
}

/** What an operator's record asserts. */
export interface NaiveAssertions {
  readonly findings?: readonly string[];
  /** By name of the rule, the greatest value that a moderator accepts. */
  readonly waived?: Readonly<Record<string, number>>;
  /** Of an export: days of receipt that its samples no longer have, of all streams. */
  readonly older?: readonly {
    readonly platform: string | null;
    readonly power: number | null;
    readonly days: number;
  }[];
}

const sum = (numbers: readonly number[]): number => numbers.reduce((total, number) => total + number, 0);
const minus = (a: readonly number[], b: readonly number[]): number[] => a.map((value, field) => value - b[field]!);
const yieldOf = ([input = 0, output = 0, reads = 0]: readonly number[]): number =>
  input > 0 ? (reads / input) * (output / input) : 0;

/** The greatest counts of the highest epoch. */
function standing(snapshots: readonly NaiveSnapshot[]) {
  const epoch = Math.max(...snapshots.map((one) => one.epoch));
  return { epoch, counts: greatest(snapshots.filter((one) => one.epoch === epoch)) };
}

/** What a day of receipt witnesses of a stream. */
function witnessedOn(day: number, stream: readonly NaiveSnapshot[]): number[] {
  const until = stream.filter(({ receipt }) => receipt !== undefined && receipt.day <= day);
  const imported = until.filter(({ receipt }) => receipt!.day < day || !receipt!.isRecent);
  const [after, before] = [standing(until), standing(imported)];
  return before.epoch === after.epoch ? minus(after.counts, before.counts) : after.counts;
}

/** Three to the power above that of a Yield. */
function powerAbove(yield_: number): number {
  let power = -1_000;
  while (3 ** power <= yield_) power++;
  return 3 ** power;
}

const isLarge = (growth: readonly number[]): boolean => growth[0]! >= 10 && sum(growth) >= 4_000;

export function naiveWitness(
  snapshots: readonly NaiveSnapshot[],
  now: number,
  known: NonNullable<NaiveAssertions['older']> = [],
): NaiveWitness {
  const streams = streamsOf(snapshots);
  const growth = new Map<number, number[]>();
  for (const day of new Set(snapshots.flatMap(({ receipt }) => (receipt?.isRecent === true ? receipt.day : [])))) {
    const grown = streams.map((stream) => witnessedOn(day, stream));
    const total = [0, 1, 2, 3].map((field) => sum(grown.map((counts) => counts[field]!)));
    if (sum(total) > 0) growth.set(day, total);
  }
  const first = Math.floor(now / DAY) - 44;
  const past = [...growth].filter(([day]) => day < first).map(([, grown]) => (isLarge(grown) ? yieldOf(grown) : 0));
  return {
    growth: new Map([...growth].filter(([day]) => day >= first)),
    older: [
      ...past.map((yield_) => ({ upTo: yield_ > 0 ? powerAbove(yield_) : 0, days: 1 })),
      ...known.flatMap(({ platform, power, days }) =>
        platform === null ? { upTo: power === null ? 0 : 3 ** (power + 1), days } : [],
      ),
    ],
  };
}

/** Days that vouch for a Yield. */
export function naiveVouching({ growth, older }: NaiveWitness, yield_: number): number {
  if (yield_ <= 0) return 0;
  const vouching = [...growth.values()].filter((day) => isLarge(day) && yieldOf(day) >= yield_ * (1 / 3));
  return vouching.length + sum(older.map(({ upTo, days }) => (upTo > yield_ * (1 / 3) ? days : 0)));
}

const before = (stream: readonly NaiveSnapshot[], moment: number): number[] =>
  greatest(stream.filter(({ asOf }) => asOf - (asOf % HOUR) + HOUR <= moment));

/** Days with growth in each window and the standard error of ln Yield by them; what is before the longest window is one day. */
export function naiveSpreads(snapshots: readonly NaiveSnapshot[], now: number) {
  const streams = streamsOf(snapshots).map((stream) => {
    const { epoch } = standing(stream);
    return stream.filter((one) => one.epoch === epoch);
  });
  const starts = windowStarts(now);
  const oldest = Math.min(...starts.filter((start) => start !== null));
  return starts.map((start) => {
    const from = start ?? 0;
    const hours = streams
      .flat()
      .map(({ asOf }) => asOf - (asOf % HOUR))
      .filter((hour) => hour >= from);
    const days = [...new Set(hours.map((hour) => (hour < oldest ? -1 : Math.floor(hour / DAY))))].map((day) => {
      const [since, until] = day < 0 ? [0, oldest] : [Math.max(from, day * DAY), day * DAY + DAY];
      const grown = streams.map((stream) => minus(before(stream, until), before(stream, since)));
      return [0, 1, 2].map((field) => sum(grown.map((counts) => counts[field]!)));
    });
    const grown = days.filter((day) => sum(day) > 0);
    return { days: grown.length, spread: spreadOf(grown) };
  });
}

function spreadOf(days: readonly (readonly number[])[]): number {
  const totals = [0, 1, 2].map((field) => sum(days.map((day) => day[field]!)));
  if (days.length < 2 || totals.includes(0)) return -1;
  const influences = days.map((day) => day[2]! / totals[2]! + day[1]! / totals[1]! - (2 * day[0]!) / totals[0]!);
  return Math.sqrt((sum(influences.map((each) => each ** 2)) * days.length) / (days.length - 1));
}

/** What a Yield needs by quantiles: nothing, 3, 7, 14 or 30 days, these with acceptance. */
function needBy(
  { p75, p90, p99 }: { readonly p75: number; readonly p90: number; readonly p99: number },
  yield_: number,
) {
  if (yield_ > 3 * p99) return 30;
  if (yield_ > p99) return 14;
  if (yield_ > p90) return 7;
  return yield_ > p75 ? 3 : 0;
}

/** How a window stands: the rules that it crosses, by name, and its Yield where it is numbered. */
export interface NaiveIntegrity {
  readonly flags: readonly string[];
  /** Null where it is not eligible. */
  readonly row: 'settled' | 'held' | 'excluded' | null;
  readonly vouching: number;
  readonly need: number;
  /** Null where the window is not numbered. */
  readonly yield_: number | null;
}

export function naiveIntegrity(
  snapshots: readonly NaiveSnapshot[],
  usage: readonly NaiveWindowUsage[],
  now: number,
  { id, rules: number }: Pick<Methodology, 'id' | 'rules'>,
  { findings = [], waived = {}, older }: NaiveAssertions = {},
): NaiveIntegrity[] {
  const set = number === null ? null : RULE_SETS.get(number)!;
  const witness = naiveWitness(snapshots, now, older);
  return usage.map(({ totals, platform, unsupported, yield_: yielded }) => {
    const [input = 0, output = 0, reads = 0] = totals;
    const measured = {
      'no-input': [unsupported, set?.bounds.unsupported],
      'reads-beyond-context': [input > 0 ? reads / Math.max(1, Math.min(input, output)) : 0, set?.bounds.context],
      'output-beyond-response': [input > 0 ? output / input : 0, set?.bounds.velocity],
    } as const;
    const crossed = Object.entries(measured).flatMap(([rule, [value, bound = Infinity]]) =>
      value > bound && value > (waived[rule] ?? 0) ? rule : [],
    );
    const ranked = naiveEligibility(id, totals) ? yielded : null;
    const reference = set?.reference ?? null;
    const own = reference && needBy(reference.platforms[platform ?? ''] ?? reference.all, ranked ?? 0);
    const all = reference ? needBy(reference.all, ranked ?? 0) : 0;
    const need = Math.max(own ?? 0, all >= 7 ? all : 0);
    const vouching = naiveVouching(witness, yieldOf(totals));
    const unaccepted = need === 30 && (ranked ?? 0) > (waived['extraordinary-yield'] ?? 0);
    const held = new Set([...findings, ...crossed, ...(unaccepted && vouching >= 30 ? ['extraordinary-yield'] : [])]);
    const rules = RULES.filter(({ name }) => held.has(name));
    const isHeld = rules.length > 0 || vouching < need || unaccepted;
    const row = rules.some(({ severity }) => severity === 'exclude') ? 'excluded' : isHeld ? 'held' : 'settled';
    return {
      flags: rules.map(({ name }) => name),
      row: ranked === null ? null : row,
      vouching,
      need,
      yield_: row === 'settled' ? ranked : null,
    };
  });
}
