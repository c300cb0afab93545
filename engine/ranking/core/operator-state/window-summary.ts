import { COUNT_FIELDS } from '../../../contract/signing/index.ts';
import { WINDOW_SPECS, type WindowStart } from '../../../contract/windows.ts';
import { PLACE_OF, plainYield, SOURCES, sourceOf, unsupportedOf, WINDOW_NUMBERS } from '../../../integrity/index.ts';
import { type CounterSeries, stepsBefore } from './counter-series.ts';
import { expiryHour, firstHourOf } from './hours.ts';
import { WITNESS_DAYS, witnessedGrowth } from './receipts.ts';
import { spreadsOf, windowStarts } from './window-spread.ts';
import {
  keptDays,
  type OlderDays,
  type ReceivedStream,
  vouchingDays,
  type Witness,
  witnessedDays,
  witnessOf,
} from './witness.ts';

const FIELDS = COUNT_FIELDS.length;

/** Numbers of all windows. */
export const TOTALS_NUMBERS = WINDOW_SPECS.length * WINDOW_NUMBERS;

/** Numbers of a platform: its place in `SOURCES`, and those of all windows. */
export const PLATFORM_NUMBERS = 1 + TOTALS_NUMBERS;

const NO_PLATFORMS = new Float64Array(0);

/** The part of an operator state that boards are computed from. */
export interface WindowSummary {
  /** For each window (WINDOWS) its four counts (COUNT_FIELDS) and what else its samples show: `WINDOW_NUMBERS` doubles. */
  readonly totals: Float64Array;
  /** The platform with the most tokens in each window; null without tokens. */
  readonly platforms: readonly (string | null)[];
  /**
   * For each of `SOURCES` with tokens its place there and the totals of its streams alone, `PLATFORM_NUMBERS` doubles, by place. Empty
   * where all streams are of one platform: its totals are `totals`.
   */
  readonly platformTotals: Float64Array;
  /** Witnessed days: of the last `WITNESS_DAYS`, and ever. */
  readonly witnessed: { readonly recent: number; readonly ever: number };
  /** The next hour at which any of this changes without a new sample; null when there is none. */
  readonly nextDue: number | null;
}

/** A stream as far as windows need it. */
export interface SummarisedStream extends ReceivedStream {
  readonly series: CounterSeries;
}

/**
 * The numbers of every window as of `hour`. Streams are summed in the given order, so that floating-point sums are reproducible.
 * They change only with a sample, or when one expires from a window or a day from the witnessed ones.
 */
export function summarise(
  streams: readonly SummarisedStream[],
  older: readonly OlderDays[],
  hour: number,
): WindowSummary {
  const witness = witnessOf(streams, older);
  return {
    ...totalsOf(streams, witness, hour),
    platformTotals: platformTotalsOf(streams, older, hour),
    witnessed: witnessedDays(witness),
    nextDue: nextDue(streams, witness, hour),
  };
}

function platformTotalsOf(
  streams: readonly SummarisedStream[],
  older: readonly OlderDays[],
  hour: number,
): Float64Array {
  const used = new Set(streams.map(({ platform }) => platform));
  if (used.size < 2) return NO_PLATFORMS;
  const parts = SOURCES.flatMap((platform, source) => {
    if (!used.has(platform) || source === 0) return [];
    const own = streams.filter((stream) => stream.platform === platform);
    const { totals, platforms } = totalsOf(own, witnessOf(streams, older, platform), hour);
    return platforms.every((each) => each === null) ? [] : [source, ...totals];
  });
  return Float64Array.from(parts);
}

/** The numbers of every window, and the platform with the most tokens. */
function totalsOf(
  streams: readonly SummarisedStream[],
  witness: Witness,
  hour: number,
): Pick<WindowSummary, 'totals' | 'platforms'> {
  const totals = new Float64Array(TOTALS_NUMBERS);
  const starts = windowStarts(hour);
  const platforms = starts.map((start, window) => addTotals(streams, start, totals, window * WINDOW_NUMBERS));
  const spreads = spreadsOf(streams, starts, (window, field) => totals[window * WINDOW_NUMBERS + field]!);
  for (const [window, { days, spread }] of spreads.entries()) {
    const at = window * WINDOW_NUMBERS;
    totals[at + PLACE_OF.source] = sourceOf(platforms[window]!);
    totals[at + PLACE_OF.vouching] = vouchingDays(witness, plainYield(totals[at]!, totals[at + 1]!, totals[at + 2]!));
    totals[at + PLACE_OF.days] = days;
    totals[at + PLACE_OF.spread] = spread;
  }
  return { totals, platforms };
}

/** Whether two lists of stored numbers are the same. */
export function isSameNumbers(a: Float64Array, b: Float64Array): boolean {
  return a.length === b.length && a.every((value, at) => value === b[at]);
}

/** Writes the counts of a window that starts at an hour; returns the platform with the most tokens. */
function addTotals(
  streams: readonly SummarisedStream[],
  start: number,
  totals: Float64Array,
  at: number,
): string | null {
  const tokens = new Map<string, number>();
  const used = [0, 0, 0, 0];
  for (const { platform, series } of streams) {
    const newest = (series.hours.length - 1) * FIELDS;
    const before = (stepsBefore(series, start) - 1) * FIELDS;
    let sum = 0;
    for (let field = 0; field < FIELDS; field++) {
      used[field] = (series.counts[newest + field] ?? 0) - (series.counts[before + field] ?? 0);
      totals[at + field]! += used[field]!;
      sum += used[field]!;
    }
    totals[at + PLACE_OF.unsupported]! += unsupportedOf(used[0]!, used[1]!, used[2]!);
    tokens.set(platform, (tokens.get(platform) ?? 0) + sum);
  }
  return dominant(tokens);
}

/**
 * The numbers of a window of days of receipt, from `from` to before `until`: the growth that these witness, without a spread. Days after
 * it do not vouch for it.
 */
export function witnessedTotals(
  { streams, older }: { readonly streams: readonly ReceivedStream[]; readonly older: readonly OlderDays[] },
  from: number,
  until: number,
): Float64Array {
  const totals = new Float64Array(WINDOW_NUMBERS);
  const grown = streams.map(({ platform, receipts }) => {
    const { first, growth } = witnessedGrowth([receipts]);
    const counts = new Float64Array(FIELDS);
    const end = Math.min(growth.length, (until - first) * FIELDS);
    for (let at = Math.max(0, from - first) * FIELDS; at < end; at++) counts[at % FIELDS]! += growth[at]!;
    return { platform, receipts, series: { hours: new Uint32Array(1), counts } };
  });
  totals[PLACE_OF.source] = sourceOf(addTotals(grown, 0, totals, 0));
  const { first, growth } = witnessOf(streams, older);
  const witness = { first, growth: growth.subarray(0, Math.max(0, until - first) * FIELDS), older };
  totals[PLACE_OF.vouching] = vouchingDays(witness, plainYield(totals[0]!, totals[1]!, totals[2]!));
  return totals;
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

function nextDue(streams: readonly SummarisedStream[], witness: Witness, hour: number): number | null {
  const [oldest] = keptDays(witness);
  let due = oldest === undefined ? Number.POSITIVE_INFINITY : firstHourOf(oldest + WITNESS_DAYS);
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
