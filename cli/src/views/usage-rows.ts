import type { Counts } from '../../../engine/contract/signing/index.ts';
import type { Origin } from '../sources/source.ts';
import { type Bucket, IMPORT_SESSION } from '../store/buckets.ts';
import { addCounts, addUnder, type MutableCounts, zeroCounts } from '../store/usage.ts';
import { dayText, localDay, type TimeZone } from './time-zone.ts';

export const VIEWS = ['daily', 'weekly', 'monthly', 'session', 'blocks'] as const;
export type View = (typeof VIEWS)[number];

export const GROUPINGS = ['platform', 'model', 'project'] as const;
export type Grouping = (typeof GROUPINGS)[number];

/** A window of use, as vendors limit it: it begins at the full hour of the first use after the last window. */
export const BLOCK_SECONDS = 5 * 3600;

/** In place of a model, project or session that the logs do not name. */
export const UNKNOWN = '(unknown)';

/** What to show. */
export interface RowQuery {
  readonly view: View;
  readonly by: Grouping | null;
  /** The first and the last day, as `2026-05-31`; null: no limit. */
  readonly since: string | null;
  readonly until: string | null;
  /** Empty: all. */
  readonly platforms: readonly string[];
  readonly zone: TimeZone;
}

/** The usage of a period, or of a part of it. */
export interface UsageRow {
  /** A day, the Monday of a week, a month, a session, or the start of a block in seconds since the epoch. */
  readonly period: string;
  /** The platform, model or project; null without grouping. */
  readonly part: string | null;
  /** Of the first usage; a session and a block have only one. */
  readonly platform: string;
  readonly project: string | null;
  readonly counts: MutableCounts;
  /** By model. */
  readonly models: Map<string, MutableCounts>;
  messages: number;
  /** Whether some of it was imported from another tool's report. */
  isImported: boolean;
  /** The start of the first and of the last quarter of an hour with usage, in seconds since the epoch. */
  first: number;
  last: number;
}

/** Whether each row of a view is of one platform. */
export function hasOnePlatform(view: View): boolean {
  return view === 'session' || view === 'blocks';
}

/** The rows of a view, in order of time; parts of a period with most tokens first. Their sum is that of the selected buckets. */
export function usageRows(buckets: readonly Bucket[], query: RowQuery): readonly UsageRow[] {
  const periodOf = openPeriods(buckets, query);
  const isOfPlatform = hasOnePlatform(query.view);
  /** By period, of a platform where it belongs to one, and part. */
  const rows = new Map<string, Map<string | null, UsageRow>>();
  const partOf = ({ model, project }: Origin, platform: string): string | null => {
    if (query.by === null || query.by === 'platform') return query.by === null ? null : platform;
    return (query.by === 'model' ? model : project) ?? UNKNOWN;
  };
  const openRow = (period: string, platform: string, origin: Origin, time: number): UsageRow => {
    const key = isOfPlatform ? `${platform} ${period}` : period;
    let parts = rows.get(key);
    if (parts === undefined) rows.set(key, (parts = new Map()));
    const part = partOf(origin, platform);
    let row = parts.get(part);
    if (row === undefined) {
      const sums = { counts: zeroCounts(), models: new Map(), messages: 0 };
      row = { period, part, platform, project: origin.project, ...sums, isImported: false, first: time, last: time };
      parts.set(part, row);
    }
    return row;
  };
  for (const bucket of buckets) {
    const { file, origin, time } = bucket;
    const { platform } = file;
    if (query.platforms.length > 0 && !query.platforms.includes(platform)) continue;
    const period = periodOf(time, platform, origin.session);
    if (period === null) continue;
    const row = openRow(period, platform, origin, time);
    addBucket(row, origin.model ?? UNKNOWN, bucket);
    row.messages += bucket.messages;
    if (origin.session === IMPORT_SESSION) row.isImported = true;
    if (time < row.first) row.first = time;
    if (time > row.last) row.last = time;
  }
  const all = [...rows.values()].flatMap((parts) => [...parts.values()]);
  return inOrder(all, query.view);
}

/** The sum of rows: the counts by model, and in all. */
export function sumRows(rows: readonly UsageRow[]): Pick<UsageRow, 'counts' | 'models' | 'messages'> {
  const sum = { counts: zeroCounts(), models: new Map<string, MutableCounts>(), messages: 0 };
  for (const row of rows) {
    for (const [model, counts] of row.models) addBucket(sum, model, counts);
    sum.messages += row.messages;
  }
  return sum;
}

export function totalOf({ input, output, cache_read, cache_write }: Counts): number {
  return input + output + cache_read + cache_write;
}

/** Null without input. */
export function yieldOf({ input, output, cache_read }: Counts): number | null {
  const yield_ = (cache_read * output) / (input * input);
  return Number.isFinite(yield_) ? yield_ : null;
}

/** Rows from the latest period to the earliest; the parts of a period keep their order. */
export function newestFirst(rows: readonly UsageRow[], view: View): readonly UsageRow[] {
  const keyOf = (row: UsageRow): string => (hasOnePlatform(view) ? sessionOf(row) : row.period);
  const places = new Map(rows.map((row, place) => [keyOf(row), place]));
  return rows.toSorted((one, other) => places.get(keyOf(other))! - places.get(keyOf(one))!);
}

function addBucket({ counts, models }: Pick<UsageRow, 'counts' | 'models'>, model: string, more: Counts): void {
  addCounts(counts, more);
  addUnder(models, model, more);
}

/** From the time, platform and session of a bucket to its period; null: it is not selected. */
function openPeriods(
  buckets: readonly Bucket[],
  { view, since, until, zone }: RowQuery,
): (time: number, platform: string, session: string | null) => string | null {
  const blockOf = view === 'blocks' ? openBlocks(buckets) : null;
  /** By local day. */
  const known = new Map<number, string | null>();
  const periodOf = (day: number): string | null => {
    const text = dayText(day);
    if ((since !== null && text < since) || (until !== null && text > until)) return null;
    // Day 4 after 1970-01-01 is a Monday.
    if (view === 'weekly') return dayText(day - ((day + 3) % 7));
    return view === 'monthly' ? text.slice(0, 7) : text;
  };
  return (time, platform, session) => {
    const at = blockOf?.(time, platform) ?? time;
    const day = localDay(at, zone);
    let period = known.get(day);
    if (period === undefined) known.set(day, (period = periodOf(day)));
    if (period === null || view === 'daily' || view === 'weekly' || view === 'monthly') return period;
    return view === 'session' ? (session ?? UNKNOWN) : `${at}`;
  };
}

/** From a bucket's time and platform to the start of its block. Each platform has separate blocks. */
function openBlocks(buckets: readonly Bucket[]): (time: number, platform: string) => number {
  const times = new Map<string, Set<number>>();
  for (const { file, time } of buckets) {
    const known = times.get(file.platform) ?? new Set();
    times.set(file.platform, known.add(time));
  }
  const starts = new Map<string, ReadonlyMap<number, number>>();
  for (const [platform, each] of times) {
    let start = Number.NEGATIVE_INFINITY;
    const startAt = (time: number): number => {
      if (time >= start + BLOCK_SECONDS) start = time - (time % 3600);
      return start;
    };
    const sorted = [...each].sort((one, other) => one - other);
    starts.set(platform, new Map(sorted.map((time) => [time, startAt(time)])));
  }
  return (time, platform) => starts.get(platform)!.get(time)!;
}

function inOrder(rows: readonly UsageRow[], view: View): readonly UsageRow[] {
  /** A session's moment is its last one, in all its parts. */
  const lasts = new Map<string, number>();
  for (const row of rows) lasts.set(sessionOf(row), Math.max(row.last, lasts.get(sessionOf(row)) ?? 0));
  const momentOf = (row: UsageRow): number | string => {
    if (view === 'session') return lasts.get(sessionOf(row))!;
    return view === 'blocks' ? Number(row.period) : row.period;
  };
  const keyed = rows.map((row) => ({ row, moment: momentOf(row) }));
  keyed.sort(({ row: one, moment: left }, { row: other, moment: right }) => {
    if (left !== right) return left < right ? -1 : 1;
    if (one.period !== other.period) return one.period < other.period ? -1 : 1;
    if (hasOnePlatform(view) && one.platform !== other.platform) return one.platform < other.platform ? -1 : 1;
    return totalOf(other.counts) - totalOf(one.counts);
  });
  return keyed.map(({ row }) => row);
}

/** Tools may give their sessions equal ids, and their blocks equal starts. */
function sessionOf({ platform, period }: UsageRow): string {
  return `${platform} ${period}`;
}
