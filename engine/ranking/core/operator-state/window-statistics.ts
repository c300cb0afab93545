import { AGENT_TOKENS_AN_HOUR } from '../../../contract/agent-tokens.ts';
import { COUNT_FIELDS } from '../../../contract/signing/index.ts';
import { WINDOW_SPECS } from '../../../contract/windows.ts';
import {
  RELEASE_HOURS,
  sourceOf,
  statisticAt,
  statisticsOf,
  THRESHOLDS,
  WINDOW_NUMBERS,
} from '../../../integrity/index.ts';
import { type CounterSeries, newestValue, stepsBefore, valueBefore } from './counter-series.ts';
import { dayOf, firstHourOf, HOURS_A_DAY, windowStart } from './hours.ts';

// Every statistic depends only on growth by day, and on growth by hour within the last `hourly_reach` hours, and changes only when a
// sample expires from a window. Neither thinning nor the order of arrival changes it.

const FIELDS = COUNT_FIELDS.length;
const INPUT = 0;
const OUTPUT = 1;
const CACHE_READ = 2;

/** Most days that are counted separately: the longest window, and how far the board's hour can be behind. */
const MAX_DAYS = 1_000;
const MAX_SINGLE = 3.4e38;
/** The start of a window that has none. */
const ALWAYS = Number.NEGATIVE_INFINITY;

/** Places of statistics in the first window. */
const AT = {
  agents: statisticAt(0, 'agents'),
  repeats: statisticAt(0, 'repeats'),
  unsupported: statisticAt(0, 'unsupported'),
  erased: statisticAt(0, 'erased'),
  contrast: statisticAt(0, 'contrast'),
} as const;

const AGENT_TOKENS = Float64Array.from(COUNT_FIELDS, (field) => AGENT_TOKENS_AN_HOUR[field]);

/** A stream as far as windows need it. */
export interface SummarisedStream {
  readonly platform: string;
  readonly series: CounterSeries;
  /** For each field the greatest count of former epochs; null without any. */
  readonly former: Float64Array | null;
}

/**
 * What all streams grew by day, in `DAYS`. The first day is everything before the longest window. Each has growth of input, output and
 * cache reads, the agents of all growths that it is part of, and its last hour with a sample. `HOURS` has these agents by the hour,
 * from the first one of the hourly reach.
 */
interface Days {
  readonly first: number;
  /** How many. */
  readonly rows: number;
}

const GROWTH = 3;
const AGENTS_AT = 3;
const LAST_HOUR_AT = 4;
const NUMBERS_A_DAY = 5;
/** Reused by every call: none is under way while another begins. */
const DAYS = new Float64Array((MAX_DAYS + 2) * NUMBERS_A_DAY);
const HOURS = new Float64Array((MAX_DAYS + 2) * HOURS_A_DAY);

/** The most that one stream, and what all streams, have beyond what their input supports, by window. Reused as well. */
const UNSUPPORTED_OF_STREAM = new Float64Array(WINDOW_SPECS.length);
const UNSUPPORTED = new Float64Array(WINDOW_SPECS.length);

/** Writes the statistics of all windows beside their totals, which must be complete. */
export function writeStatistics(
  streams: readonly SummarisedStream[],
  { starts, oldest, finest }: WindowStarts,
  platforms: readonly (string | null)[],
  totals: Float64Array,
): void {
  const scope = { starts, oldest, finest, statistics: statisticsOf(totals) };
  const first = dayOf(oldest);
  // Samples may be later than `hour`, which is the board's.
  let latest = oldest;
  for (const { series } of streams) latest = Math.max(latest, series.hours[series.hours.length - 1] ?? 0);
  const days = { first, rows: Math.min(dayOf(latest), first + MAX_DAYS) - first + 2 };
  const hours = Math.min(HOURS.length, Math.max(0, latest - finest) + 1);
  DAYS.fill(0, 0, days.rows * NUMBERS_A_DAY);
  HOURS.fill(0, 0, hours);
  UNSUPPORTED.fill(0);
  for (const stream of streams) {
    addGrowth(stream, scope, days);
    compareWithAllTime(stream, scope);
    if (stream.former !== null) measureErased(stream.series, stream.former, scope);
  }
  let inAnHour = 0;
  for (let at = 0; at < hours; at++) inAnHour = Math.max(inAnHour, HOURS[at]!);
  for (let window = 0; window < starts.length; window++) {
    raise(scope, window, AT.agents, inAnHour);
    raise(scope, window, AT.unsupported, UNSUPPORTED[window]!);
    scope.statistics[statisticAt(window, 'source')] = sourceOf(platforms[window] ?? null);
    summariseDays(days, streams, totals, window, scope);
  }
}

interface WindowStarts {
  /** First hour of each window, or `ALWAYS`. */
  readonly starts: readonly number[];
  /** First hours of the longest window, and of growth that is measured by hour. */
  readonly oldest: number;
  readonly finest: number;
}

interface Scope extends WindowStarts {
  readonly statistics: Float32Array;
}

/** The windows as of the hour of the last call: most operators are summed up as of the same one. */
let known = windowsAt(0);

function windowsAt(hour: number) {
  const starts = WINDOW_SPECS.map(({ start }) => windowStart(start, hour) ?? ALWAYS);
  const later = starts.filter((start) => start !== ALWAYS);
  return { hour, starts, oldest: Math.min(...later), finest: hour - THRESHOLDS.hourly_reach };
}

/** Where windows start as of an hour. */
export function windowStarts(hour: number): WindowStarts {
  if (known.hour !== hour) known = windowsAt(hour);
  return known;
}

/** `first`: the place of the statistic in the first window. */
function raise({ statistics }: Scope, window: number, first: number, value: number): void {
  const at = first + window * 2 * WINDOW_NUMBERS;
  if (value > statistics[at]!) statistics[at] = Math.min(value, MAX_SINGLE);
}

/** Raises a statistic in the windows that contain `lastHour`. */
function raiseFrom(scope: Scope, lastHour: number, first: number, value: number): void {
  if (value <= 0) return;
  for (let window = 0; window < scope.starts.length; window++) {
    if (lastHour >= scope.starts[window]!) raise(scope, window, first, value);
  }
}

/** Adds a stream's growth to the days, and measures how fast and how evenly it grew. */
function addGrowth({ platform, series }: SummarisedStream, scope: Scope, days: Days): void {
  const { hours, counts } = series;
  const first = stepsBefore(series, scope.oldest);
  const released = RELEASE_HOURS[sourceOf(platform)]!;
  UNSUPPORTED_OF_STREAM.fill(0);
  const byDay = BY_DAY.begin();
  const byHour = BY_HOUR.begin();
  if (first > 0) addToDay(days, 0, byDay.add(scope, counts, first - 1, -1, ALWAYS), ALWAYS);
  let nextDay = first < hours.length ? dayOf(hours[first]!) : 0;
  for (let step = first, before = first - 1; step < hours.length; step++) {
    const hour = hours[step]!;
    const day = nextDay;
    if (step > first && hours[step - 1]! >= scope.finest) {
      const earlier = hours[step - 1]! - scope.finest;
      const agents = agentsFor(byHour.add(scope, counts, step, step - 1, hour), hour - hours[step - 1]!);
      for (let at = earlier + 1; at <= hour - scope.finest; at++) HOURS[at]! += agents;
    }
    if (step + 1 < hours.length) nextDay = dayOf(hours[step + 1]!);
    if (step + 1 < hours.length && nextDay === day) continue;
    const growth = byDay.add(scope, counts, step, before, hour);
    const former = before < first ? ALWAYS : dayOf(hours[before]!);
    const elapsed = firstHourOf(day + 1) - (former === ALWAYS ? released : firstHourOf(former + 1));
    const row = day - days.first + 1;
    addToDay(days, row, growth, hour);
    addAgents(days, Math.max(0, former - days.first + 2), row, agentsFor(growth, elapsed));
    before = step;
  }
  for (let window = 0; window < UNSUPPORTED.length; window++) UNSUPPORTED[window]! += UNSUPPORTED_OF_STREAM[window]!;
}

function addToDay({ rows }: Days, day: number, growth: Float64Array, lastHour: number): void {
  const at = Math.min(day, rows - 1) * NUMBERS_A_DAY;
  for (let field = 0; field < GROWTH; field++) DAYS[at + field]! += growth[field]!;
  DAYS[at + LAST_HOUR_AT] = Math.max(DAYS[at + LAST_HOUR_AT]!, lastHour);
}

/** Adds the agents of a growth to each day that it is part of: those of other streams may have worked at the same time. */
function addAgents({ rows }: Days, from: number, until: number, agents: number): void {
  const last = rows - 1;
  for (let day = Math.min(from, last); day <= Math.min(until, last); day++) {
    DAYS[day * NUMBERS_A_DAY + AGENTS_AT]! += agents;
  }
}

function raiseUnsupported({ starts }: Scope, lastHour: number, value: number): void {
  if (value <= 0) return;
  for (let window = 0; window < starts.length; window++) {
    if (lastHour >= starts[window]! && value > UNSUPPORTED_OF_STREAM[window]!) UNSUPPORTED_OF_STREAM[window] = value;
  }
}

/** The agents at once that a growth within some hours takes. */
function agentsFor(growth: Float64Array, elapsed: number): number {
  const { full_speed_hours: full, long_run_share: share } = THRESHOLDS;
  const capacity = elapsed <= full ? elapsed : full + (elapsed - full) * share;
  let most = 0;
  for (let field = 0; field < FIELDS; field++) most = Math.max(most, growth[field]! / AGENT_TOKENS[field]!);
  return most / Math.max(1, capacity);
}

/** The growth before the present one. Reused like `DAYS`. */
const FORMER = new Float64Array(FIELDS);

/** Consecutive growths of one stream, by day or by hour. */
class GrowthRun {
  readonly #growth = new Float64Array(FIELDS);
  #repeats = 0;
  /** Output and cache reads beyond what the input supports. */
  #output = 0;
  #reads = 0;

  /** Forgets the growths of the stream before. */
  begin(): this {
    this.#growth.fill(0);
    this.#output = 0;
    this.#reads = 0;
    return this;
  }

  /** The growth from step `before` (−1: nothing) to `step`, whose last sample is of `lastHour`; valid until the next call. */
  add(scope: Scope, counts: Float64Array, step: number, before: number, lastHour: number): Float64Array {
    // Destructuring a typed array would take longer than everything else here.
    const growth = this.#growth;
    for (let field = 0; field < FIELDS; field++) {
      FORMER[field] = growth[field]!;
      growth[field] = counts[step * FIELDS + field]! - (before < 0 ? 0 : counts[before * FIELDS + field]!);
    }
    this.#repeats = before >= 0 && isRepeated(FORMER, growth) ? this.#repeats + 1 : 0;
    raiseFrom(scope, lastHour, AT.repeats, this.#repeats);
    const input = growth[INPUT]!;
    this.#output = Math.max(0, this.#output + growth[OUTPUT]! - input * THRESHOLDS.supported_output);
    this.#reads = Math.max(0, this.#reads + growth[CACHE_READ]! - input * THRESHOLDS.supported_reads);
    raiseUnsupported(scope, lastHour, Math.max(this.#output, this.#reads / THRESHOLDS.reads_an_output));
    return growth;
  }
}

/** Reused like `DAYS`. */
const BY_DAY = new GrowthRun();
const BY_HOUR = new GrowthRun();

/** Whether a growth has the proportions of the former one, exactly or rounded to whole tokens. */
function isRepeated(former: Float64Array, growth: Float64Array): boolean {
  if (former[INPUT]! <= 0 || Math.min(former[OUTPUT]!, growth[OUTPUT]!) < THRESHOLDS.repeated_output) return false;
  let largest = 0;
  for (let field = 1; field < FIELDS; field++) if (former[field]! > former[largest]!) largest = field;
  const factor = growth[largest]! / former[largest]!;
  const rounding = THRESHOLDS.rounded_tokens * (1 + factor);
  let isExact = true;
  let isRounded = true;
  let chance = 1;
  for (let field = 0; field < FIELDS; field++) {
    const growing = growth[field]!;
    const difference = Math.abs(growing - former[field]! * factor);
    isExact &&= difference <= growing * THRESHOLDS.same_proportions;
    isRounded &&= difference <= rounding;
    if (!isExact && !isRounded) return false;
    if (field !== largest && growing > rounding) chance *= rounding / growing;
  }
  return isExact || chance <= THRESHOLDS.rounded_by_chance;
}

/** The input of former epochs against the present one, where that kept the rest. */
function measureErased(series: CounterSeries, former: Float64Array, scope: Scope): void {
  const kept = [OUTPUT, CACHE_READ].every(
    (field) => newestValue(series, field) >= former[field]! * THRESHOLDS.kept_share,
  );
  // Cache reads were counted as input before.
  const corrected = (newestValue(series, INPUT) + newestValue(series, CACHE_READ)) * THRESHOLDS.corrected_share;
  if (!kept || former[INPUT]! >= corrected) return;
  const erased = former[INPUT]! / Math.max(1, newestValue(series, INPUT));
  for (const window of scope.starts.keys()) raise(scope, window, AT.erased, erased);
}

/** Compares each window with what the stream has outside of it. */
function compareWithAllTime({ series }: SummarisedStream, scope: Scope): void {
  const { hours, counts } = series;
  const newest = (hours.length - 1) * FIELDS;
  if (newest < 0) return;
  const whole = yieldOf(counts[newest + INPUT]!, counts[newest + OUTPUT]!, counts[newest + CACHE_READ]!);
  for (let window = 0; window < scope.starts.length; window++) {
    const before = (stepsBefore(series, scope.starts[window]!) - 1) * FIELDS;
    if (before < 0) continue;
    const [input, output] = [counts[before + INPUT]!, counts[before + OUTPUT]!];
    const inWindow = yieldOf(
      counts[newest + INPUT]! - input,
      counts[newest + OUTPUT]! - output,
      counts[newest + CACHE_READ]! - counts[before + CACHE_READ]!,
    );
    if (inWindow >= THRESHOLDS.contrast * whole) raise(scope, window, AT.contrast, input / Math.max(1, output));
  }
}

function yieldOf(input: number, output: number, reads: number): number {
  return (reads / Math.max(1, input)) * (output / Math.max(1, input));
}

/**
 * The most agents of a day in a window, the days with growth, and the standard error of ln Yield: a day's influence on it is the
 * sum of its shares of cache reads and output minus twice its share of input.
 */
function summariseDays(
  { first, rows }: Days,
  streams: readonly SummarisedStream[],
  totals: Float64Array,
  window: number,
  scope: Scope,
): void {
  const { statistics } = scope;
  const start = scope.starts[window]!;
  const at = window * WINDOW_NUMBERS;
  const allInput = totals[at]!;
  const allOutput = totals[at + OUTPUT]!;
  const allReads = totals[at + CACHE_READ]!;
  let days = 0;
  let squares = 0;
  let agents = 0;
  const least = start === ALWAYS ? 0 : (dayOf(start) - first + 1) * NUMBERS_A_DAY;
  const isWhole = start === ALWAYS || start === firstHourOf(dayOf(start));
  for (let day = (rows - 1) * NUMBERS_A_DAY; day >= least; day -= NUMBERS_A_DAY) {
    const isFirst = day === least;
    let input = DAYS[day]!;
    let output = DAYS[day + OUTPUT]!;
    let reads = DAYS[day + CACHE_READ]!;
    // The first day began before the window. Its growth is not what the others leave: large sums are not exact.
    if (isFirst && !isWhole) {
      const until = firstHourOf(dayOf(start) + 1);
      input = grown(streams, start, until, INPUT);
      output = grown(streams, start, until, OUTPUT);
      reads = grown(streams, start, until, CACHE_READ);
    }
    if (DAYS[day + AGENTS_AT]! > agents && (!isFirst || isWhole || DAYS[day + LAST_HOUR_AT]! >= start)) {
      agents = DAYS[day + AGENTS_AT]!;
    }
    if (input + output + reads <= 0) continue;
    const influence = reads / allReads + output / allOutput - (2 * input) / allInput;
    days++;
    squares += influence * influence;
  }
  raise(scope, window, AT.agents, agents);
  const spread = Math.sqrt((squares * days) / (days - 1));
  statistics[statisticAt(window, 'activeDays')] = days;
  statistics[statisticAt(window, 'spread')] = days < 2 || Number.isNaN(spread) ? -1 : Math.min(spread, MAX_SINGLE);
}

/** What all streams grew from the start of an hour to that of another. */
function grown(streams: readonly SummarisedStream[], from: number, until: number, field: number): number {
  let sum = 0;
  for (const { series } of streams) sum += valueBefore(series, until, field) - valueBefore(series, from, field);
  return sum;
}
