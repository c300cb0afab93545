import { MAX_SNAPSHOT_AGE_MS } from '../../../engine/contract/signing/index.ts';
import type { Bucket } from '../store/buckets.ts';
import { addCounts, addUnder, type MutableCounts, zeroCounts } from '../store/usage.ts';

const DAY_SECONDS = 86_400;

/** Distance from the oldest accepted moment, because the submissions take some minutes. In milliseconds. */
const MARGIN_MS = 60 * 60 * 1000;

/**
 * The totals at the end of each of the last 90 days on which they grew, oldest first; the first one includes everything
 * before. Days are UTC, as YYYY-MM-DD. Excludes today, which the current totals cover. `now` in milliseconds.
 */
export function dayEnds(buckets: readonly Bucket[], platform: string, now: number) {
  const today = Math.floor(now / 1000 / DAY_SECONDS);
  const oldest = Math.ceil((now - MAX_SNAPSHOT_AGE_MS + MARGIN_MS) / 1000 / DAY_SECONDS - 1);
  const days = new Map<number, MutableCounts>();
  for (const bucket of buckets) {
    const day = Math.max(oldest, Math.floor(bucket.time / DAY_SECONDS));
    if (bucket.file.platform !== platform || day >= today) continue;
    addUnder(days, day, bucket);
  }
  const totals = zeroCounts();
  return [...days.keys()]
    .sort((left, right) => left - right)
    .map((day) => {
      addCounts(totals, days.get(day)!);
      // The day's last second, in seconds since the epoch.
      const asOf = (day + 1) * DAY_SECONDS - 1;
      return { day: new Date(asOf * 1000).toISOString().slice(0, 10), asOf, totals: { ...totals } };
    });
}
