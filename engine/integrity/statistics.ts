import { COUNT_FIELDS } from '../contract/signing/index.ts';

/**
 * What an operator's samples show in one window, beside its four counts. Small numbers are exact; others are rounded to single
 * precision. None is NaN.
 *
 * - `activeDays`: days (UTC) with growth; everything before the longest window counts as one.
 * - `spread`: standard error of ln Yield by the growth of each day (infinitesimal jackknife); −1 with fewer than two days.
 * - `agents`: the most agents at once that the growths of all streams take, each agent at `AGENT_TOKENS_AN_HOUR`. Growths are those
 *   by day, and those between two samples of the last `hourly_reach` hours; each takes its agents for as long as it lasted. A
 *   stream's first growth in the longest window has the time since its platform was released.
 * - `unsupported`: the most output, or share of cache reads, of each stream beyond what its input supports, in tokens of output, summed.
 * - `source`: place of the platform with the most tokens in `SOURCES`.
 * - `contrast`: input for each output token that a stream has outside of the window, where its Yield in the window is in contrast
 *   with that over all time.
 * - `erased`: the greatest input of a stream's former epochs over that of its present one, where the present epoch kept the cache
 *   reads and the output, and the input is not that of a tool that counted cache reads as input.
 * - `repeats`: the most growths in a row of all counts in the same proportions, by day or, within the last `hourly_reach` hours, by hour, each
 *   of some output.
 *
 * `THRESHOLDS` has the numbers of these definitions, `MEASUREMENT_WORDS` states them for people.
 */
export const STATISTICS = [
  'activeDays',
  'spread',
  'agents',
  'unsupported',
  'source',
  'contrast',
  'erased',
  'repeats',
] as const;

export type Statistic = (typeof STATISTICS)[number];

/** The numbers in the definitions of statistics. */
export const THRESHOLDS = {
  /** Hours back to which growth is measured by hour, before them by day: whatever the shortest window is. */
  hourly_reach: 168,
  /** Hours at full speed, after which an agent is taken to work for a share of the time. */
  full_speed_hours: 48,
  long_run_share: 0.25,
  /** A stream's Yield in a window is in contrast when it is this many times its Yield over all time. */
  contrast: 100,
  /** Growths are in the same proportions when they differ relatively by at most this. */
  same_proportions: 1e-9,
  /** Or when no count differs by more tokens than this, which whole tokens explain, for each time of the former growth plus one, */
  rounded_tokens: 2,
  /** and the shares of these tokens in all counts but the largest have at most this product. */
  rounded_by_chance: 1e-4,
  /** Output from which growths are compared: jobs of a few tokens are often equal. */
  repeated_output: 2_000,
  /** Output and cache reads that a token of input supports: a response, and two of the largest contexts. */
  supported_output: 200_000,
  supported_reads: 4_000_000,
  /** Cache reads that weigh as much as one output token. */
  reads_an_output: 80,
  /** Share of the former epochs' output and cache reads from which a new epoch has kept them. */
  kept_share: 0.5,
  /** Share of a new epoch's input and cache reads from which former input is taken to be both. */
  corrected_share: 0.25,
  /** Streams with the same growth, and the most such growths: lost settings can make a second stream of the same logs. */
  repeating_streams: 3,
  shared_growths: 3,
  /** The most growths of a count that are multiples of one number by chance, and their least average, in multiples of that number. */
  multiples: 12,
  multiplied_tokens: 2_000,
  /** Caches are filled in blocks of multiples of so many tokens, and the smallest prompt that is cached has this many. */
  cache_block: 16,
  cached_prompt: 1_000,
} as const;

// A window takes four doubles for its counts, then one single-precision number for each statistic. No pair of them has the
// bits of a NaN double, so that copies keep every bit.

/** Numbers (doubles) of one window in an operator's totals. */
export const WINDOW_NUMBERS = COUNT_FIELDS.length + STATISTICS.length / 2;

/** The statistics within totals: that of window w at `statisticAt(w, name)`. Shares their memory. */
export function statisticsOf({ buffer, byteOffset, length }: Float64Array): Float32Array {
  return new Float32Array(buffer, byteOffset, 2 * length);
}

/** The index of a window's statistic in `statisticsOf`. */
export function statisticAt(window: number, name: Statistic): number {
  return 2 * (window * WINDOW_NUMBERS + COUNT_FIELDS.length) + STATISTICS.indexOf(name);
}

/** Totals as they are stored: the counts of all windows, and their statistics in pairs. */
export interface StoredTotals {
  readonly counts: Float64Array;
  readonly statistics: Float64Array;
}

const [COUNTS, PAIRS] = [COUNT_FIELDS.length, WINDOW_NUMBERS - COUNT_FIELDS.length];

/** Totals of their two stored parts. */
export function joinTotals({ counts, statistics }: StoredTotals): Float64Array {
  const windows = counts.length / COUNTS;
  const totals = new Float64Array(windows * WINDOW_NUMBERS);
  for (let window = 0; window < windows; window++) {
    const from = window * WINDOW_NUMBERS;
    for (let at = 0; at < COUNTS; at++) totals[from + at] = counts[window * COUNTS + at]!;
    for (let at = 0; at < PAIRS; at++) totals[from + COUNTS + at] = statistics[window * PAIRS + at]!;
  }
  return totals;
}

/** The two parts in which totals are stored, in one piece of memory and by plain loops: this is done for each snapshot. */
export function splitTotals(totals: Float64Array) {
  const windows = totals.length / WINDOW_NUMBERS;
  const parts = new Float64Array(totals.length);
  const counts = parts.subarray(0, windows * COUNTS);
  const statistics = parts.subarray(windows * COUNTS);
  for (let window = 0; window < windows; window++) {
    const from = window * WINDOW_NUMBERS;
    for (let at = 0; at < COUNTS; at++) counts[window * COUNTS + at] = totals[from + at]!;
    for (let at = 0; at < PAIRS; at++) statistics[window * PAIRS + at] = totals[from + COUNTS + at]!;
  }
  return { counts, statistics };
}
