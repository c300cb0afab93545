import { COUNT_FIELDS } from '../../../contract/signing/index.ts';
import { WINDOW_SPECS, type WindowStart } from '../../../contract/windows.ts';
import { type CounterSeries, newestValue, valueBefore } from './counter-series.ts';
import { expiryHour, windowStart } from './hours.ts';

const FIELDS = COUNT_FIELDS.length;

/** The part of an operator state that boards are computed from. */
export interface WindowSummary {
  /** Four counts (COUNT_FIELDS) for each window (WINDOWS), window-major. */
  readonly totals: Float64Array;
  /** The platform with the most tokens in each window; null without tokens. */
  readonly platforms: readonly (string | null)[];
  /** The next hour at which the totals change without a new sample; null when there is none. */
  readonly nextDue: number | null;
}

interface SummarisedStream {
  readonly platform: string;
  readonly series: CounterSeries;
}

/** Totals of every window as of `hour`. Streams are summed in the given order, so that floating-point sums are reproducible. */
export function summarise(streams: readonly SummarisedStream[], hour: number): WindowSummary {
  const totals = new Float64Array(WINDOW_SPECS.length * FIELDS);
  const platforms = WINDOW_SPECS.map((spec, windowIndex) => {
    const start = windowStart(spec.start, hour);
    const tokens = new Map<string, number>();
    for (const { platform, series } of streams) {
      let sum = 0;
      for (let field = 0; field < FIELDS; field++) {
        const used = newestValue(series, field) - (start === null ? 0 : valueBefore(series, start, field));
        totals[windowIndex * FIELDS + field]! += used;
        sum += used;
      }
      tokens.set(platform, (tokens.get(platform) ?? 0) + sum);
    }
    return dominant(tokens);
  });
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
