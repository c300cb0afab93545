import { COUNT_FIELDS, type Counts } from '../../../contract/signing/index.ts';
import { dayOf, firstHourOf, lastHourOf } from './hours.ts';

/** Whole days, beside the running one, for which marks stay hourly. The 7-day window starts at most 7 days and 23 hours back. */
export const HOURLY_DAYS = 8;
/** Whole days for which daily marks are kept; older ones become one carried mark. The longest window has 90. */
export const DAILY_DAYS = 100;

const FIELDS = COUNT_FIELDS.length;

/**
 * The marks of one stream as the steps of a rising function of time: element i says that from hour `hours[i]` on the
 * totals were at least `counts[4i .. 4i+3]` (in the order of COUNT_FIELDS). Hours ascend strictly, and every step raises
 * at least one field over the step before it. Equal sets of snapshots give equal series, whatever the order, grouping and
 * repetition in which they were joined. Immutable.
 */
export interface CounterSeries {
  readonly hours: Uint32Array;
  readonly counts: Float64Array;
}

export const EMPTY_SERIES: CounterSeries = { hours: new Uint32Array(0), counts: new Float64Array(0) };

/** The number of steps in hours before `hour`. */
function stepsBefore(series: CounterSeries, hour: number): number {
  let low = 0;
  let high = series.hours.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (series.hours[middle]! < hour) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** Whether step `index` of `counts` raises no field over the step before it. */
function addsNothing(counts: Float64Array, index: number): boolean {
  for (let field = 0; field < FIELDS; field++) {
    const before = index === 0 ? 0 : counts[(index - 1) * FIELDS + field]!;
    if (counts[index * FIELDS + field]! > before) return false;
  }
  return true;
}

/** The series without the steps that raise nothing. Values must already be non-decreasing. */
function normalised(hours: Uint32Array, counts: Float64Array): CounterSeries {
  let kept = 0;
  for (let index = 0; index < hours.length; index++) {
    hours[kept] = hours[index]!;
    counts.copyWithin(kept * FIELDS, index * FIELDS, (index + 1) * FIELDS);
    if (!addsNothing(counts, kept)) kept++;
  }
  return { hours: hours.slice(0, kept), counts: counts.slice(0, kept * FIELDS) };
}

/** Joins a snapshot's counts, valid from `hour` on, into the series; the same object when it already knew as much. */
export function mergeSample(series: CounterSeries, hour: number, sample: Counts): CounterSeries {
  const at = stepsBefore(series, hour);
  const replaces = series.hours[at] === hour;
  const known = replaces ? at : at - 1;
  if (COUNT_FIELDS.every((name, field) => sample[name] <= (known < 0 ? 0 : series.counts[known * FIELDS + field]!))) {
    return series;
  }
  const length = series.hours.length + (replaces ? 0 : 1);
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
  return normalised(hours, counts);
}

/** The first hour whose marks are still hourly, seen from `hour`. */
function hourlyFrom(hour: number): number {
  return firstHourOf(dayOf(hour) - HOURLY_DAYS);
}

/** Where a mark stands once it is as coarse as it is kept at `hour`: at its own hour, or at its day's last. */
export function coarseHour(sampleHour: number, hour: number): number {
  return sampleHour >= hourlyFrom(hour) ? sampleHour : lastHourOf(dayOf(sampleHour));
}

/**
 * Makes old marks coarser, as seen from `hour`: hourly for HOURLY_DAYS, then the last of each day, then one carried mark
 * for all days before DAILY_DAYS. No window that starts at or after `hour`'s own starts can tell the difference.
 */
export function thinSeries(series: CounterSeries, hour: number): CounterSeries {
  const steps = series.hours.length;
  if (steps === 0 || series.hours[0]! >= hourlyFrom(hour)) return series;
  const dailyFrom = firstHourOf(dayOf(hour) - DAILY_DAYS);
  const hours = new Uint32Array(steps);
  const counts = new Float64Array(series.counts);
  let kept = 0;
  let moved = false;
  for (let index = 0; index < steps; index++) {
    const coarse = coarseHour(series.hours[index]!, hour);
    if (kept > 0 && (hours[kept - 1] === coarse || coarse < dailyFrom)) kept--;
    moved ||= coarse !== series.hours[index];
    hours[kept] = coarse;
    counts.copyWithin(kept * FIELDS, index * FIELDS, (index + 1) * FIELDS);
    kept++;
  }
  if (kept === steps && !moved) return series;
  return { hours: hours.slice(0, kept), counts: counts.slice(0, kept * FIELDS) };
}

/**
 * A thin series with its carried mark where the daily ones begin. By itself it stands at the last of the days that raised
 * anything over what was carried when they were joined, which the order of joining decides.
 */
export function rolledUpAtOneHour(series: CounterSeries, hour: number): CounterSeries {
  const dailyFrom = firstHourOf(dayOf(hour) - DAILY_DAYS);
  const [first] = series.hours;
  if (first === undefined || first >= dailyFrom) return series;
  const hours = series.hours.slice();
  hours[0] = dailyFrom - 1;
  return { hours, counts: series.counts };
}

/** One field's total as it was when `hour` began: the greatest mark of hours that had ended by then, 0 when there was none. */
export function valueBefore(series: CounterSeries, hour: number, field: number): number {
  const step = stepsBefore(series, hour) - 1;
  return step < 0 ? 0 : series.counts[step * FIELDS + field]!;
}

/** One field's newest total; 0 for an empty series. */
export function newestValue(series: CounterSeries, field: number): number {
  const steps = series.hours.length;
  return steps === 0 ? 0 : series.counts[(steps - 1) * FIELDS + field]!;
}
