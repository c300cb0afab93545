import type { Counts } from '../../../engine/contract/signing/index.ts';
import { WINDOW_SPECS, type Window } from '../../../engine/contract/windows.ts';
import type { Bucket } from '../store/buckets.ts';
import { addCounts, type MutableCounts, zeroCounts } from '../store/usage.ts';
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

/** A window and the period before it; for all time, until now and until a local day: `since`, or seven days ago. */
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
export function countsIn(buckets: readonly Bucket[], platforms: readonly string[], { from, to }: Span): Counts {
  const sum = zeroCounts();
  for (const bucket of selected(buckets, platforms)) {
    if (bucket.time >= from && bucket.time < to) addCounts(sum, bucket);
  }
  return sum;
}

/** The parts of the usage in two periods. */
export function partsOf(
  buckets: readonly Bucket[],
  {
    division,
    platforms,
    zone,
  }: { readonly division: Division; readonly platforms: readonly string[]; readonly zone: TimeZone },
  { before, after }: Comparison,
): readonly PartCounts[] {
  const parts = new Map<string, Record<'before' | 'after', MutableCounts>>();
  for (const bucket of selected(buckets, platforms)) {
    const { time, file, origin } = bucket;
    const { model, project, session } = origin;
    const texts = { session, model, project, platform: file.platform };
    const key = division === 'day' ? dayText(localDay(time, zone)) : (texts[division] ?? UNKNOWN);
    let part = parts.get(key);
    if (part === undefined) parts.set(key, (part = { before: zeroCounts(), after: zeroCounts() }));
    if (time >= before.from && time < before.to) addCounts(part.before, bucket);
    if (time >= after.from && time < after.to) addCounts(part.after, bucket);
  }
  return [...parts].map(([key, counts]) => ({ key, ...counts }));
}

/** The buckets of these platforms; of all without any. */
function selected(buckets: readonly Bucket[], platforms: readonly string[]): readonly Bucket[] {
  return platforms.length === 0 ? buckets : buckets.filter(({ file }) => platforms.includes(file.platform));
}
