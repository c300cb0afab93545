import { COUNT_FIELDS } from '../../../contract/signing/index.ts';
import { WINDOW_SPECS, type WindowStart } from '../../../contract/windows.ts';
import { WINDOW_NUMBERS } from '../../../integrity/index.ts';
import { stepsBefore } from './counter-series.ts';
import { expiryHour } from './hours.ts';
import { type SummarisedStream, windowStarts, writeStatistics } from './window-statistics.ts';

const FIELDS = COUNT_FIELDS.length;

/** The part of an operator state that boards are computed from. */
export interface WindowSummary {
  /** For each window (WINDOWS) its four counts (COUNT_FIELDS), then its statistics: `WINDOW_NUMBERS` doubles. */
  readonly totals: Float64Array;
  /** The platform with the most tokens in each window; null without tokens. */
  readonly platforms: readonly (string | null)[];
  /** The next hour at which the totals change without a new sample; null when there is none. */
  readonly nextDue: number | null;
}

/**
 * Totals and statistics of every window as of `hour`. Streams are summed in the given order, so that floating-point sums are
 * reproducible. Both change only with a sample or when one expires from a window.
 */
export function summarise(streams: readonly SummarisedStream[], hour: number): WindowSummary {
  const totals = new Float64Array(WINDOW_SPECS.length * WINDOW_NUMBERS);
  const windows = windowStarts(hour);
  const platforms = windows.starts.map((start, windowIndex) => {
    const at = windowIndex * WINDOW_NUMBERS;
    const tokens = new Map<string, number>();
    for (const { platform, series } of streams) {
      const newest = (series.hours.length - 1) * FIELDS;
      const before = (stepsBefore(series, start) - 1) * FIELDS;
      let sum = 0;
      for (let field = 0; field < FIELDS; field++) {
        const used = (series.counts[newest + field] ?? 0) - (series.counts[before + field] ?? 0);
        totals[at + field]! += used;
        sum += used;
      }
      tokens.set(platform, (tokens.get(platform) ?? 0) + sum);
    }
    return dominant(tokens);
  });
  writeStatistics(streams, windows, platforms, totals);
  return { totals, platforms, nextDue: nextDue(streams, hour) };
}

/** The platform with the most tokens; on a tie the first by code units. */
function dominant(tokens: ReadonlyMap<string, number>): string | null {
  let best: string | null = null;
  for (const [platform, sum] of tokens) {
    const most = best === null ? 0 : tokens.get(best)!;
    if (sum > most || (sum === most && best !== null && platform < best)) best = platform;
  }
  return best;
}

function nextDue(streams: readonly SummarisedStream[], hour: number): number | null {
  let due = Number.POSITIVE_INFINITY;
  for (const { series } of streams) {
    for (const { start } of WINDOW_SPECS) due = Math.min(due, nextExpiry(series.hours, start, hour));
  }
  return due === Number.POSITIVE_INFINITY ? null : due;
}

/** The first hour after `hour` at which a sample expires from the window. Sample hours ascend, and so do their expiry hours. */
function nextExpiry(hours: Uint32Array, start: WindowStart, hour: number): number {
  let low = 0;
  let high = hours.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    const expiry = expiryHour(start, hours[middle]!);
    if (expiry === null) return Number.POSITIVE_INFINITY;
    if (expiry <= hour) low = middle + 1;
    else high = middle;
  }
  return low < hours.length ? expiryHour(start, hours[low]!)! : Number.POSITIVE_INFINITY;
}
