import { createHash } from 'node:crypto';
import { COUNT_FIELDS, type Counts, MAX_COUNT } from '../../../engine/contract/signing/index.ts';
import type { MetricPoint } from './metrics-request.ts';
import { tokensOf } from './token-metrics.ts';

const DAY_MS = 86_400_000;

/** Days that are kept, a few more than a snapshot can state. */
const KEPT_DAYS = 40;
/** A cumulative series that was not seen for so many days has ended. */
const SERIES_DAYS = 7;
const MAX_SERIES = 10_000;
/** Identities of recent delta points, of which an exporter sends one again when it missed the response. */
const MAX_RECENT = 10_000;

/** By day (since the epoch) and platform, the tokens of the metrics. Sums can be negative while parts are missing. */
export type DaySums = Record<string, Record<string, Counts>>;

/** What is kept of the metrics: sums, and of each cumulative series a hash with its last value and day. */
export interface MetricSums {
  readonly days: DaySums;
  readonly series: Record<string, readonly [value: number, day: number]>;
}

/** Adds points to sums. `now` returns milliseconds since the epoch. */
export function createAdder(sums: MetricSums, now: () => number) {
  const recent = new Set<string>();

  /** How many tokens a point adds: a delta once, and of a cumulative series its growth. */
  function growthOf(point: MetricPoint, day: number): number {
    const { metric, resource, attributes, start, time, value, isCumulative } = point;
    const identity = JSON.stringify([metric, resource, attributes, start, ...(isCumulative ? [] : [time, value])]);
    // Attributes can name the user, so only a hash is kept.
    const key = createHash('sha256').update(identity).digest('base64url').slice(0, 22);
    if (isCumulative) {
      const [known = 0] = sums.series[key] ?? [];
      sums.series[key] = [Math.max(known, value), day];
      return Math.max(0, value - known);
    }
    if (recent.has(key)) return 0;
    recent.add(key);
    for (const oldest of recent) {
      if (recent.size <= MAX_RECENT) break;
      recent.delete(oldest);
    }
    return value;
  }

  /** Adds points; returns how many were counted. */
  return (points: readonly MetricPoint[]): number => {
    const today = Math.floor(now() / DAY_MS);
    let counted = 0;
    for (const point of points) {
      const day = Math.floor(point.time / DAY_MS);
      const tokens = tokensOf(point);
      const isValid = point.value >= 0 && point.value <= MAX_COUNT && day > today - KEPT_DAYS && day <= today + 1;
      if (tokens === null || !isValid) continue;
      addTokens(sums.days, day, tokens, growthOf(point, day));
      counted += 1;
    }
    prune(sums, today);
    return counted;
  };
}

function addTokens(
  days: DaySums,
  day: number,
  { platform, adds }: NonNullable<ReturnType<typeof tokensOf>>,
  tokens: number,
) {
  const platforms = (days[day] ??= {});
  const known = platforms[platform] ?? { input: 0, output: 0, cache_read: 0, cache_write: 0 };
  const sum = { ...known };
  for (const field of COUNT_FIELDS) sum[field] += tokens * (adds[field] ?? 0);
  platforms[platform] = sum;
}

function prune({ days, series }: MetricSums, today: number): void {
  for (const day of Object.keys(days)) if (Number(day) <= today - KEPT_DAYS) delete days[day];
  const all = Object.entries(series);
  if (all.length <= MAX_SERIES && all.every(([, [, day]]) => day > today - SERIES_DAYS)) return;
  const kept = all.filter(([, [, day]]) => day > today - SERIES_DAYS).slice(-MAX_SERIES);
  for (const key of Object.keys(series)) delete series[key];
  Object.assign(series, Object.fromEntries(kept));
}
