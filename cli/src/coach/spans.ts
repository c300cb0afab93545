import type { Counts } from '../../../engine/contract/signing/index.ts';
import { WINDOW_SPECS, type Window } from '../../../engine/contract/windows.ts';
import { BUCKET_SECONDS, type TimeBuckets } from '../store/time-buckets.ts';
import { addCounts, zeroCounts } from '../store/usage-summary.ts';
import { dayText, localDay, startOfDay, type TimeZone } from '../views/time-zone.ts';
import { UNKNOWN } from '../views/usage-rows.ts';
import type { PartCounts } from './divisia.ts';

const HOUR_SECONDS = 3600;
const DAY_SECONDS = 86_400;

/** How a change of the Yield is divided. */
export const DIVISIONS = ['day', 'session', 'model', 'project', 'platform'] as const;
export type Division = (typeof DIVISIONS)[number];

/** From a moment to before another, in seconds since the epoch. */
interface Span {
  readonly from: number;
  readonly to: number;
}

/** The two periods of a comparison. */
export interface Comparison {
  readonly before: Span;
  readonly after: Span;
}

/** When a window of the board began; for all time long ago. `now` in seconds. */
export function windowStart(window: Window, now: number): number {
  const start = WINDOW_SPECS.find(({ name }) => name === window)!.start;
  if (start === null) return 0;
  if ('hours' in start) return Math.floor(now / HOUR_SECONDS) * HOUR_SECONDS - start.hours * HOUR_SECONDS;
  return Math.floor(now / DAY_SECONDS) * DAY_SECONDS - start.days * DAY_SECONDS;
}

/**
 * A window with the equally long period before it; for all time everything until now with everything until a local day, which is
 * `since` or seven days ago.
 */
export function comparisonOf(window: Window, since: string | null, zone: TimeZone, now: number): Comparison {
  const end = now + 1;
  if (window === 'all_time') {
    const day = since === null ? localDay(now, zone) - 7 : Date.parse(since) / 1000 / DAY_SECONDS;
    return { before: { from: 0, to: startOfDay(day, zone) }, after: { from: 0, to: end } };
  }
  const start = windowStart(window, now);
  return { before: { from: start - (now - start), to: start }, after: { from: start, to: end } };
}

/** The usage in a period. */
export function countsIn(buckets: TimeBuckets, platforms: readonly string[], { from, to }: Span): Counts {
  const sum = zeroCounts();
  eachBucket(buckets, platforms, (time, counts) => {
    if (time >= from && time < to) addCounts(sum, counts);
  });
  return sum;
}

/** The parts of the usage in two periods. */
export function partsOf(
  buckets: TimeBuckets,
  {
    division,
    platforms,
    zone,
  }: { readonly division: Division; readonly platforms: readonly string[]; readonly zone: TimeZone },
  { before, after }: Comparison,
): readonly PartCounts[] {
  const parts = new Map<string, { before: ReturnType<typeof zeroCounts>; after: ReturnType<typeof zeroCounts> }>();
  eachBucket(buckets, platforms, (time, counts, platform, origin) => {
    const { model, project, session } = buckets.origins[origin]!;
    const texts = { session, model, project, platform };
    const key = division === 'day' ? dayText(localDay(time, zone)) : (texts[division] ?? UNKNOWN);
    let part = parts.get(key);
    if (part === undefined) parts.set(key, (part = { before: zeroCounts(), after: zeroCounts() }));
    if (time >= before.from && time < before.to) addCounts(part.before, counts);
    if (time >= after.from && time < after.to) addCounts(part.after, counts);
  });
  return [...parts].map(([key, counts]) => ({ key, ...counts }));
}

/** Visits every bucket of the selected platforms. The counts are valid only during the call. */
function eachBucket(
  { platforms: names, columns }: TimeBuckets,
  platforms: readonly string[],
  visit: (time: number, counts: Counts, platform: string, origin: number) => void,
): void {
  for (let bucket = 0; bucket < columns.times.length; bucket += 1) {
    const platform = names[columns.platforms[bucket]!]!;
    if (platforms.length > 0 && !platforms.includes(platform)) continue;
    const [input, output, cache_read, cache_write] = columns.counts.subarray(bucket * 4, bucket * 4 + 4);
    const counts = { input: input!, output: output!, cache_read: cache_read!, cache_write: cache_write! };
    visit(columns.times[bucket]! * BUCKET_SECONDS, counts, platform, columns.origins[bucket]!);
  }
}
