import { AGENT_TOKENS_AN_HOUR } from '../../engine/contract/agent-tokens.ts';
import { RULE_SETS, RULES, SOURCES, THRESHOLDS } from '../../engine/integrity/index.ts';
import type { Methodology } from '../../engine/ranking/methodologies/index.ts';
import { naiveEligibility } from './naive-eligibility.ts';
import { DAY, greatest, HOUR, type NaiveSnapshot, type NaiveWindowUsage, windowStarts } from './naive-usage.ts';

/**
 * The reference model of statistics and rules: it computes them from all accepted snapshots, directly from the definitions, and
 * shares with the engine only the bounds and other numbers, which are data.
 */
export interface NaiveStatistics {
  readonly activeDays: number;
  readonly spread: number;
  readonly agents: number;
  readonly unsupported: number;
  readonly source: number;
  readonly contrast: number;
  readonly erased: number;
  readonly repeats: number;
}

interface NaiveStream {
  readonly platform: string;
  /** The snapshots of the highest epoch. */
  readonly current: readonly NaiveSnapshot[];
  /** The greatest counts of all lower epochs. */
  readonly former: readonly number[];
  /** The hours at whose end a count is greater than before, ascending. */
  readonly rises: readonly number[];
  /** Counts at the start of a moment. */
  readonly before: (moment: number) => number[];
}

/** What a stream grew: after which day or moment, until which, the moment of its last sample, and for how many hours. */
interface Growth {
  readonly after: number;
  readonly at: number;
  readonly day: number;
  readonly counts: readonly number[];
  readonly hours: number;
}

const SINGLE = 3.4e38;
const sum = (numbers: readonly number[]): number => numbers.reduce((total, number) => total + number, 0);
const minus = (a: readonly number[], b: readonly number[]): number[] => a.map((value, field) => value - b[field]!);
const dayOf = (moment: number): number => Math.floor(moment / DAY);

function streamsOf(snapshots: readonly NaiveSnapshot[]): NaiveStream[] {
  const names = new Set(snapshots.map(({ ledger, platform }) => JSON.stringify([ledger, platform])));
  return [...names].map((name) => {
    const own = snapshots.filter(({ ledger, platform }) => JSON.stringify([ledger, platform]) === name);
    const epoch = Math.max(...own.map((one) => one.epoch));
    const current = own.filter((one) => one.epoch === epoch);
    const before = (moment: number): number[] => greatest(current.filter(({ asOf }) => endOf(asOf) <= moment));
    const hours = [...new Set(current.map(({ asOf }) => asOf - (asOf % HOUR)))].sort((a, b) => a - b);
    return {
      platform: own[0]!.platform,
      current,
      former: greatest(own.filter((one) => one.epoch < epoch)),
      rises: hours.filter((hour) => minus(before(hour + HOUR), before(hour)).some((grown) => grown > 0)),
      before,
    };
  });
}

const endOf = (asOf: number): number => asOf - (asOf % HOUR) + HOUR;

/** The growth of each day with samples in the longest window; first, at no moment, everything before it. */
function dailyGrowth({ platform, rises, before }: NaiveStream, oldest: number): Growth[] {
  const days = [...new Set(rises.filter((hour) => hour >= oldest).map(dayOf))];
  const { released } = SOURCES.find((source) => source.platform === platform) ?? SOURCES[0]!;
  const growths = days.map((day, index): Growth => {
    const from = index === 0 ? oldest : days[index - 1]! * DAY + DAY;
    const since = index === 0 ? Date.parse(`${released}-01`) : from;
    const until = day * DAY + DAY;
    const at = Math.max(...rises.filter((hour) => dayOf(hour) === day));
    const after = days[index - 1] ?? Number.NEGATIVE_INFINITY;
    return { after, at, day, counts: minus(before(until), before(from)), hours: (until - since) / HOUR };
  });
  const earlier = {
    after: Number.NEGATIVE_INFINITY,
    at: Number.NEGATIVE_INFINITY,
    day: Number.NEGATIVE_INFINITY,
    counts: before(oldest),
    hours: Infinity,
  };
  return sum(earlier.counts) > 0 ? [earlier, ...growths] : growths;
}

/** The growth between samples of the last seven days. */
function hourlyGrowth({ rises, before }: NaiveStream, finest: number): Growth[] {
  const inside = rises.filter((hour) => hour >= finest);
  return inside.slice(1).map((at, index) => {
    const last = inside[index]!;
    const counts = minus(before(at + HOUR), before(last + HOUR));
    return { after: last, at, day: dayOf(at), counts, hours: (at - last) / HOUR };
  });
}

function agentsFor({ counts, hours }: Growth): number {
  const { full_speed_hours: full, long_run_share: share } = THRESHOLDS;
  const working = Math.max(1, Math.min(hours, full) + Math.max(0, hours - full) * share);
  return Math.max(...Object.values(AGENT_TOKENS_AN_HOUR).map((tokens, field) => counts[field]! / tokens)) / working;
}

/** How many growths before this one, without a gap, have the proportions of the next. */
function repeatsAt(growths: readonly Growth[], index: number): number {
  let repeats = 0;
  while (index - repeats > 0 && isProportional(growths[index - repeats - 1]!, growths[index - repeats]!)) repeats += 1;
  return repeats;
}

function isProportional({ counts: a }: Growth, { counts: b }: Growth): boolean {
  if (a[0]! <= 0 || Math.min(a[1]!, b[1]!) < THRESHOLDS.repeated_output) return false;
  const largest = a.indexOf(Math.max(...a));
  const factor = b[largest]! / a[largest]!;
  const rounding = THRESHOLDS.rounded_tokens * (1 + factor);
  const differs = (by: (grown: number) => number): boolean =>
    b.some((grown, field) => Math.abs(grown - a[field]! * factor) > by(grown));
  if (!differs((grown) => grown * THRESHOLDS.same_proportions)) return true;
  const shares = b.map((grown, field) => (field === largest ? 1 : Math.min(1, rounding / grown)));
  return !differs(() => rounding) && shares.reduce((product, share) => product * share) <= THRESHOLDS.rounded_by_chance;
}

/** The most output that any run of growths up to this one has beyond what its input supports, or its share of cache reads. */
function unsupportedAt(growths: readonly Growth[], index: number): number {
  let [output, reads, most] = [0, 0, 0];
  for (const { counts } of growths.slice(0, index + 1).toReversed()) {
    output += counts[1]! - counts[0]! * THRESHOLDS.supported_output;
    reads += counts[2]! - counts[0]! * THRESHOLDS.supported_reads;
    most = Math.max(most, output, reads / THRESHOLDS.reads_an_output);
  }
  return most;
}

function yieldOf([input = 0, output = 0, reads = 0]: readonly number[]): number {
  return (reads / Math.max(1, input)) * (output / Math.max(1, input));
}

function contrastIn(stream: NaiveStream, start: number | null): number {
  if (start === null || !stream.rises.some((hour) => hour < start)) return 0;
  const [outside, whole] = [stream.before(start), greatest(stream.current)];
  if (yieldOf(minus(whole, outside)) < THRESHOLDS.contrast * yieldOf(whole)) return 0;
  return outside[0]! / Math.max(1, outside[1]!);
}

function erasedIn({ current, former }: NaiveStream): number {
  const newest = greatest(current);
  const isKept = [1, 2].every((field) => newest[field]! >= former[field]! * THRESHOLDS.kept_share);
  const isCorrected = former[0]! >= (newest[0]! + newest[2]!) * THRESHOLDS.corrected_share;
  return isKept && !isCorrected ? former[0]! / Math.max(1, newest[0]!) : 0;
}

/** The growth of all streams in each day of a window; what is before the longest window is one day of all time. */
function daysIn(streams: readonly NaiveStream[], start: number | null, oldest: number): number[][] {
  const from = start ?? 0;
  const rises = streams.flatMap((stream) => stream.rises.filter((hour) => hour >= from));
  const days = new Set(rises.map((hour) => (hour < oldest ? -1 : dayOf(hour))));
  return [...days].map((day) => {
    const [since, until] = day < 0 ? [0, oldest] : [Math.max(from, day * DAY), day * DAY + DAY];
    const grown = streams.map(({ before }) => minus(before(until), before(since)));
    return [0, 1, 2].map((field) => sum(grown.map((counts) => counts[field]!)));
  });
}

function spreadOf(days: readonly (readonly number[])[]): number {
  const totals = [0, 1, 2].map((field) => sum(days.map((day) => day[field]!)));
  if (days.length < 2 || totals.includes(0)) return -1;
  const influences = days.map((day) => day[2]! / totals[2]! + day[1]! / totals[1]! - (2 * day[0]!) / totals[0]!);
  return Math.sqrt((sum(influences.map((each) => each ** 2)) * days.length) / (days.length - 1));
}

/** The statistics of each window as of `now`, in double precision. `usage`: of the same snapshots. */
export function naiveStatistics(
  snapshots: readonly NaiveSnapshot[],
  now: number,
  usage: readonly NaiveWindowUsage[],
): NaiveStatistics[] {
  const streams = streamsOf(snapshots);
  const starts = windowStarts(now);
  const oldest = Math.min(...starts.filter((start) => start !== null));
  const daily = streams.map((stream) => dailyGrowth(stream, oldest));
  const hourly = streams.map((stream) => hourlyGrowth(stream, now - (now % HOUR) - 168 * HOUR));
  return starts.map((start, window) => {
    const isInside = ({ at }: Pick<Growth, 'at'>): boolean => start === null || at >= start;
    const most = (
      measure: (growths: readonly Growth[], index: number) => number,
      of: readonly (readonly Growth[])[] = [...daily, ...hourly],
    ): number =>
      Math.max(
        0,
        ...of.flatMap((growths) => growths.map((growth, index) => (isInside(growth) ? measure(growths, index) : 0))),
      );
    const days = new Set(
      daily
        .flat()
        .filter(isInside)
        .map(({ day }) => day),
    );
    const agentsOn = (day: number): number =>
      sum(daily.flat().map((growth) => (growth.after < day && day <= growth.day ? agentsFor(growth) : 0)));
    const agentsAt = (moment: number): number =>
      sum(hourly.flat().map((growth) => (growth.after < moment && moment <= growth.at ? agentsFor(growth) : 0)));
    const grown = daysIn(streams, start, oldest).filter((day) => sum(day) > 0);
    return {
      activeDays: grown.length,
      spread: spreadOf(grown),
      agents: Math.max(0, ...[...days].map(agentsOn), ...hourly.flat().map(({ at }) => agentsAt(at))),
      unsupported: sum(streams.map((_, stream) => most(unsupportedAt, [daily[stream]!, hourly[stream]!]))),
      source: Math.max(
        0,
        SOURCES.findIndex(({ platform }) => platform === usage[window]!.platform),
      ),
      contrast: Math.max(0, ...streams.map((stream) => contrastIn(stream, start))),
      erased: Math.max(0, ...streams.map(erasedIn)),
      repeats: most(repeatsAt),
    };
  });
}

/** What a rule measures in a window. */
function measured(
  measure: string,
  [input = 0, output = 0, reads = 0, writes = 0]: readonly number[],
  statistics: NaiveStatistics,
) {
  if (measure in statistics) return Math.fround(Math.min(SINGLE, Number(Reflect.get(statistics, measure))));
  if (input === 0) return 0;
  const filling = input + (SOURCES[statistics.source]!.cacheWrites ? writes : 0);
  switch (measure) {
    case 'leverage':
      return reads / input;
    case 'velocity':
      return output / input;
    case 'yield':
      return (reads / input) * (output / input);
    case 'fill':
      return reads / filling;
    case 'context':
      return reads / Math.max(1, Math.min(input, output));
    default:
      throw new Error(`the model does not have the measure ${measure}`);
  }
}

/** The rules of each window, by name, and whether they exclude. */
export interface NaiveIntegrity {
  readonly flags: readonly string[];
  readonly excluded: boolean;
  /** Null where the window is not ranked. */
  readonly yield_: number | null;
}

/** `asserted`: the rules that the operator's record asserts; none is waived. */
export function naiveIntegrity(
  snapshots: readonly NaiveSnapshot[],
  usage: readonly NaiveWindowUsage[],
  now: number,
  { id, rules: number }: Pick<Methodology, 'id' | 'rules'>,
  asserted: readonly string[] = [],
): NaiveIntegrity[] {
  const bounds = number === null ? [] : RULE_SETS.get(number)!.bounds;
  if (bounds.length + asserted.length === 0) return withoutRules(usage, id);
  const all = naiveStatistics(snapshots, now, usage);
  return usage.map(({ totals, yield_: yielded }, window) => {
    const yield_ = naiveEligibility(id, totals) ? yielded : null;
    const { platform } = SOURCES[all[window]!.source]!;
    const isCrossed = ({ name, kind, measure }: (typeof RULES)[number]): boolean => {
      const bound = bounds.find(({ rule }) => rule === name);
      if (bound === undefined || measure === null || (kind === 'statistics' && yield_ === null)) return false;
      return measured(measure, totals, all[window]!) > (bound.platforms?.[platform] ?? bound.above);
    };
    const held = RULES.filter((rule) => isCrossed(rule) || asserted.includes(rule.name));
    const excluded = held.some(({ severity }) => severity === 'exclude');
    return { flags: held.map(({ name }) => name), excluded, yield_: excluded ? null : yield_ };
  });
}

function withoutRules(usage: readonly NaiveWindowUsage[], methodology: number): NaiveIntegrity[] {
  return usage.map(({ totals, yield_ }) => {
    return { flags: [], excluded: false, yield_: naiveEligibility(methodology, totals) ? yield_ : null };
  });
}
