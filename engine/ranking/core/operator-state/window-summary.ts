import { COUNT_FIELDS } from '../../../contract/signing/index.ts';
import { WINDOWS, type Window } from '../../../contract/windows.ts';
import { type CounterSeries, newestValue, valueBefore } from './counter-series.ts';
import { passedAt, windowStart } from './hours.ts';

const FIELDS = COUNT_FIELDS.length;

/** The facts a board is made of. */
export interface WindowSummary {
  /** Totals: four counts (COUNT_FIELDS) for each window (WINDOWS), window-major: 16 numbers. */
  readonly totals: Float64Array;
  /** The platform with most tokens in each window; null where there are no tokens. */
  readonly platforms: readonly (string | null)[];
  /** The next hour at which the totals will move by themselves; null when they never will. */
  readonly nextDue: number | null;
}

interface SummarisedStream {
  readonly platform: string;
  readonly series: CounterSeries;
}

/** Totals of every window as seen from `hour`. Streams are summed in the order given, so that the sums are reproducible. */
export function summarise(streams: readonly SummarisedStream[], hour: number): WindowSummary {
  const totals = new Float64Array(WINDOWS.length * FIELDS);
  const platforms = WINDOWS.map((window, windowIndex) => {
    const start = windowStart(window, hour);
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

/** The platform with most tokens; of equals the one whose name comes first by code units. */
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
    for (const window of WINDOWS) due = Math.min(due, nextPassing(series.hours, window, hour));
  }
  return due === Number.POSITIVE_INFINITY ? null : due;
}

/** The first hour after `hour` at which the window's start passes a mark. Marks ascend, and so do their passings. */
function nextPassing(hours: Uint32Array, window: Window, hour: number): number {
  let low = 0;
  let high = hours.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    const passing = passedAt(window, hours[middle]!);
    if (passing === null) return Number.POSITIVE_INFINITY;
    if (passing <= hour) low = middle + 1;
    else high = middle;
  }
  return low < hours.length ? passedAt(window, hours[low]!)! : Number.POSITIVE_INFINITY;
}
