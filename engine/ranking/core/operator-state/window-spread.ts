import { COUNT_FIELDS } from '../../../contract/signing/index.ts';
import { WINDOW_SPECS } from '../../../contract/windows.ts';
import { type CounterSeries, valueBefore } from './counter-series.ts';
import { dayOf, firstHourOf, windowStart } from './hours.ts';

const FIELDS = COUNT_FIELDS.length;
const INPUT = 0;
const OUTPUT = 1;
const CACHE_READ = 2;

/** Numbers of a day: growth of input, output and cache reads. */
const GROWTH = 3;

/** Days with growth in a window, and the standard error of ln Yield by them; −1 with fewer than two days. */
export interface Spread {
  readonly days: number;
  readonly spread: number;
}

/** The first hour of each window as of an hour; −∞ for a window without a start. */
export function windowStarts(hour: number): readonly number[] {
  return WINDOW_SPECS.map(({ start }) => windowStart(start, hour) ?? Number.NEGATIVE_INFINITY);
}

/** What all streams grew by day. Row 0 is everything before the day in which the longest window begins, `first`. */
interface Days {
  readonly first: number;
  readonly rows: number;
  readonly growth: Float64Array;
}

function growthByDay(streams: readonly { readonly series: CounterSeries }[], first: number): Days {
  let last = first;
  for (const { series } of streams) last = Math.max(last, dayOf(series.hours[series.hours.length - 1] ?? 0));
  const rows = last - first + 2;
  const growth = new Float64Array(rows * GROWTH);
  for (const { series } of streams) addGrowth(series, first, growth);
  return { first, rows, growth };
}

function addGrowth(series: CounterSeries, first: number, growth: Float64Array): void {
  const { hours, counts } = series;
  for (let step = 0; step < hours.length; step++) {
    const row = Math.max(0, dayOf(hours[step]!) - first + 1);
    for (let field = 0; field < GROWTH; field++) {
      const before = step === 0 ? 0 : counts[(step - 1) * FIELDS + field]!;
      growth[row * GROWTH + field]! += counts[step * FIELDS + field]! - before;
    }
  }
}

/**
 * For each window, by its totals: the days with growth and their spread. A day's influence on ln Yield is the sum of its shares of cache
 * reads and output minus twice its share of input (infinitesimal jackknife).
 */
export function spreadsOf(
  streams: readonly { readonly series: CounterSeries }[],
  starts: readonly number[],
  totalOf: (window: number, field: number) => number,
): Spread[] {
  const days = growthByDay(streams, dayOf(Math.min(...starts.filter(Number.isFinite))));
  return starts.map((start, window) => spreadOf(days, streams, start, (field) => totalOf(window, field)));
}

function spreadOf(
  { first, rows, growth }: Days,
  streams: readonly { readonly series: CounterSeries }[],
  start: number,
  totalOf: (field: number) => number,
): Spread {
  const [allInput, allOutput, allReads] = [totalOf(INPUT), totalOf(OUTPUT), totalOf(CACHE_READ)];
  const least = Number.isFinite(start) ? dayOf(start) - first + 1 : 0;
  // The first day began before the window. Its growth is not what the others leave: large sums are not exact.
  const isCut = Number.isFinite(start) && start !== firstHourOf(dayOf(start));
  const until = firstHourOf(dayOf(start) + 1);
  let days = 0;
  let squares = 0;
  for (let row = rows - 1; row >= least; row--) {
    const at = row * GROWTH;
    const cut = isCut && row === least;
    const input = cut ? grown(streams, start, until, INPUT) : growth[at]!;
    const output = cut ? grown(streams, start, until, OUTPUT) : growth[at + 1]!;
    const reads = cut ? grown(streams, start, until, CACHE_READ) : growth[at + 2]!;
    if (input + output + reads <= 0) continue;
    const influence = reads / allReads + output / allOutput - (2 * input) / allInput;
    days++;
    squares += influence * influence;
  }
  const spread = Math.sqrt((squares * days) / (days - 1));
  return { days, spread: days < 2 || !Number.isFinite(spread) ? -1 : spread };
}

/** What all streams grew from the start of an hour to that of another. */
function grown(
  streams: readonly { readonly series: CounterSeries }[],
  from: number,
  until: number,
  field: number,
): number {
  let sum = 0;
  for (const { series } of streams) sum += valueBefore(series, until, field) - valueBefore(series, from, field);
  return sum;
}
