import { COUNT_FIELDS, type Counts } from '../../../contract/signing/index.ts';
import { WINDOW_SPECS, windowDays } from '../../../contract/windows.ts';
import { dayOf, firstHourOf, lastHourOf } from './hours.ts';

const hourly = WINDOW_SPECS.flatMap(({ start }) =>
  start !== null && 'hours' in start ? (windowDays(start) ?? []) : [],
);
/** Full days before the current one with hourly samples: a window of n days in hours starts up to n days and 23 hours ago. */
export const HOURLY_DAYS = Math.ceil(Math.max(0, ...hourly)) + 1;
/** Full days with daily samples, some more than the longest window has; older samples become one rollup sample. */
export const DAILY_DAYS = Math.max(0, ...WINDOW_SPECS.map(({ start }) => windowDays(start) ?? 0)) + 10;

const FIELDS = COUNT_FIELDS.length;

/**
 * The samples of one stream, a non-decreasing step function of time: from hour `hours[i]` on the totals were at least
 * `counts[4i .. 4i+3]` (in the order of COUNT_FIELDS). Hours ascend strictly, and every step raises at least one field.
 * Merging is that of a grow-only counter: equal sets of snapshots give equal series in any order, grouping and repetition.
 * Immutable.
 */
export interface CounterSeries {
  readonly hours: Uint32Array;
  readonly counts: Float64Array;
}

export const EMPTY_SERIES: CounterSeries = { hours: new Uint32Array(0), counts: new Float64Array(0) };

/** Number of steps before `hour`. */
export function stepsBefore(series: CounterSeries, hour: number): number {
  let low = 0;
  let high = series.hours.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (series.hours[middle]! < hour) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** Whether step `index` of `counts` raises no field over the previous step. */
function isRedundant(counts: Float64Array, index: number): boolean {
  for (let field = 0; field < FIELDS; field++) {
    const before = index === 0 ? 0 : counts[(index - 1) * FIELDS + field]!;
    if (counts[index * FIELDS + field]! > before) return false;
  }
  return true;
}

/** Removes the steps that raise no field, in place. Values must already be non-decreasing. */
function withoutRedundantSteps(hours: Uint32Array, counts: Float64Array): CounterSeries {
  let kept = 0;
  for (let index = 0; index < hours.length; index++) {
    hours[kept] = hours[index]!;
    if (kept < index) counts.copyWithin(kept * FIELDS, index * FIELDS, (index + 1) * FIELDS);
    if (!isRedundant(counts, kept)) kept++;
  }
  return kept === hours.length
    ? { hours, counts }
    : { hours: hours.slice(0, kept), counts: counts.slice(0, kept * FIELDS) };
}

/** Merges a snapshot's counts, valid from `hour` on, by per-field maximum; returns `series` itself when nothing changes. */
export function mergeSample(series: CounterSeries, hour: number, sample: Counts): CounterSeries {
  const at = stepsBefore(series, hour);
  const replaces = series.hours[at] === hour;
  const known = replaces ? at : at - 1;
  if (COUNT_FIELDS.every((name, field) => sample[name] <= (known < 0 ? 0 : series.counts[known * FIELDS + field]!))) {
    return series;
  }
  const steps = series.hours.length;
  // Most samples are the newest: every other step stays as it is, and none becomes redundant.
  if (at === (replaces ? steps - 1 : steps)) return withNewest(series, hour, sample);
  const length = steps + (replaces ? 0 : 1);
  const hours = new Uint32Array(length);
  const counts = new Float64Array(length * FIELDS);
  hours.set(series.hours.subarray(0, at));
  hours[at] = hour;
  hours.set(series.hours.subarray(replaces ? at + 1 : at), at + 1);
  counts.set(series.counts.subarray(0, at * FIELDS));
  if (known >= 0) counts.set(series.counts.subarray(known * FIELDS, (known + 1) * FIELDS), at * FIELDS);
  counts.set(series.counts.subarray((replaces ? at + 1 : at) * FIELDS), (at + 1) * FIELDS);
  for (let index = at; index < length; index++) {
    COUNT_FIELDS.forEach((name, field) => {
      const place = index * FIELDS + field;
      if (sample[name] > counts[place]!) counts[place] = sample[name];
    });
  }
  return withoutRedundantSteps(hours, counts);
}

/** The series with a sample of the hour of its last step, or of a later one. */
function withNewest({ hours, counts }: CounterSeries, hour: number, sample: Counts): CounterSeries {
  const last = hours.length - 1;
  const isKnown = hours[last] === hour;
  const raised = new Float64Array(counts.length + (isKnown ? 0 : FIELDS));
  raised.set(counts);
  for (let field = 0; field < FIELDS; field++) {
    const known = last < 0 ? 0 : counts[last * FIELDS + field]!;
    raised[raised.length - FIELDS + field] = Math.max(known, sample[COUNT_FIELDS[field]!]);
  }
  if (isKnown) return { hours, counts: raised };
  const longer = new Uint32Array(hours.length + 1);
  longer.set(hours);
  longer[last + 1] = hour;
  return { hours: longer, counts: raised };
}

/** The first hour whose samples are still hourly at `hour`. */
function hourlyFrom(hour: number): number {
  return firstHourOf(dayOf(hour) - HOURLY_DAYS);
}

/** The hour under which a sample is stored at `hour`: its original hour, or the last hour of its day. */
export function coarseHour(sampleHour: number, hour: number): number {
  return sampleHour >= hourlyFrom(hour) ? sampleHour : lastHourOf(dayOf(sampleHour));
}

/**
 * Downsamples old samples as of `hour`: hourly for HOURLY_DAYS, then the last of each day, then one rollup sample for all
 * days before DAILY_DAYS. Totals of windows as of `hour` or later do not change.
 */
export function thinSeries(series: CounterSeries, hour: number): CounterSeries {
  const steps = series.hours.length;
  if (steps === 0 || series.hours[0]! >= hourlyFrom(hour)) return series;
  const dailyFrom = firstHourOf(dayOf(hour) - DAILY_DAYS);
  const hours = new Uint32Array(steps);
  const counts = new Float64Array(series.counts);
  let kept = 0;
  let changed = false;
  for (let index = 0; index < steps; index++) {
    const coarse = coarseHour(series.hours[index]!, hour);
    if (kept > 0 && (hours[kept - 1] === coarse || coarse < dailyFrom)) kept--;
    changed ||= coarse !== series.hours[index];
    hours[kept] = coarse;
    if (kept < index) counts.copyWithin(kept * FIELDS, index * FIELDS, (index + 1) * FIELDS);
    kept++;
  }
  if (kept === steps && !changed) return series;
  return { hours: hours.slice(0, kept), counts: counts.slice(0, kept * FIELDS) };
}

/**
 * Moves the rollup sample of a thinned series to the hour before the daily samples, so that series with equal samples are
 * equal: its stored hour depends on the order in which samples were merged.
 */
export function alignRollup(series: CounterSeries, hour: number): CounterSeries {
  const dailyFrom = firstHourOf(dayOf(hour) - DAILY_DAYS);
  const [first] = series.hours;
  if (first === undefined || first >= dailyFrom) return series;
  const hours = series.hours.slice();
  hours[0] = dailyFrom - 1;
  return { hours, counts: series.counts };
}

/** One field's total at the start of `hour`: the greatest sample of the hours before it, 0 without any. */
export function valueBefore(series: CounterSeries, hour: number, field: number): number {
  const step = stepsBefore(series, hour) - 1;
  return step < 0 ? 0 : series.counts[step * FIELDS + field]!;
}

/** One field's latest total; 0 for an empty series. */
export function newestValue(series: CounterSeries, field: number): number {
  const steps = series.hours.length;
  return steps === 0 ? 0 : series.counts[(steps - 1) * FIELDS + field]!;
}
