import { DAY_MS } from '../../../../config/units.ts';
import { COUNT_FIELDS, type Counts } from '../../../contract/signing/index.ts';
import { dayOf, firstHourOf } from './hours.ts';

const FIELDS = COUNT_FIELDS.length;

/** Days (UTC) of receipt that are kept one by one, with today. */
export const WITNESS_DAYS = 45;

/** A day of receipt witnesses growth that samples date to it or to this many days before. */
const DATED_DAYS = 2;

/**
 * What a stream's snapshots state by the time of their receipt: from key `keys[i]` on its epoch was `epochs[i]` and its totals were at
 * least `counts[4i .. 4i+3]`. A day has two keys: `2 × day` for what was dated earlier, which is imported, and `2 × day + 1` for what
 * the day witnesses. So the growth from the first to the second is what it witnesses. A higher epoch outweighs a lower one, and
 * counts of one epoch are merged by maximum: equal sets of snapshots give equal receipts in any order, grouping and repetition.
 * Keys ascend, and no step is redundant. Immutable.
 */
export interface Receipts {
  readonly keys: Uint32Array;
  readonly epochs: Uint16Array;
  readonly counts: Float64Array;
}

export const NO_RECEIPTS: Receipts = {
  keys: new Uint32Array(0),
  epochs: new Uint16Array(0),
  counts: new Float64Array(0),
};

/** The key of a snapshot received at a time (milliseconds since the epoch) and dated to an hour. */
export function receiptKey(receivedAt: number, hour: number): number {
  const day = Math.floor(receivedAt / DAY_MS);
  return 2 * day + (hour >= firstHourOf(day - DATED_DAYS) ? 1 : 0);
}

export const dayOfReceipt = (key: number): number => Math.floor(key / 2);

/** The key of the totals at the end of the days that are no longer kept: it witnesses nothing. */
const FOLDED_KEY = 0;

interface Step {
  readonly key: number;
  readonly epoch: number;
  readonly counts: readonly number[];
}

const stepAt = ({ keys, epochs, counts }: Receipts, at: number): Step => ({
  key: keys[at]!,
  epoch: epochs[at]!,
  counts: [...counts.subarray(at * FIELDS, (at + 1) * FIELDS)],
});

/** Returns `known` itself when the sample adds nothing. */
function joined(known: Step, epoch: number, sample: readonly number[]): Step {
  if (epoch < known.epoch) return known;
  if (epoch > known.epoch) return { ...known, epoch, counts: sample };
  if (sample.every((count, field) => count <= known.counts[field]!)) return known;
  return { ...known, counts: sample.map((count, field) => Math.max(count, known.counts[field]!)) };
}

/** Merges a snapshot's counts; returns `receipts` itself when nothing changes. */
export function mergeReceipt(receipts: Receipts, key: number, epoch: number, counts: Counts): Receipts {
  const sample = COUNT_FIELDS.map((name) => counts[name]);
  const { length } = receipts.keys;
  let before = length;
  while (before > 0 && receipts.keys[before - 1]! > key) before--;
  const known = before === 0 ? { key, epoch: 0, counts: [0, 0, 0, 0] } : stepAt(receipts, before - 1);
  const raised = joined(known, epoch, sample);
  if (raised === known) return receipts;
  const kept = before > 0 && known.key === key ? before - 1 : before;
  const steps = [{ ...raised, key }];
  for (let at = before; at < length; at++) {
    const last = steps.at(-1)!;
    const next = joined(stepAt(receipts, at), epoch, sample);
    if (next.epoch !== last.epoch || next.counts.some((count, field) => count > last.counts[field]!)) steps.push(next);
  }
  return withSteps(receipts, kept, steps);
}

/** The first `kept` steps, and others after them. */
function withSteps({ keys, epochs, counts }: Receipts, kept: number, steps: readonly Step[]): Receipts {
  const made = {
    keys: new Uint32Array(kept + steps.length),
    epochs: new Uint16Array(kept + steps.length),
    counts: new Float64Array((kept + steps.length) * FIELDS),
  };
  made.keys.set(keys.subarray(0, kept));
  made.epochs.set(epochs.subarray(0, kept));
  made.counts.set(counts.subarray(0, kept * FIELDS));
  for (const [index, step] of steps.entries()) {
    made.keys[kept + index] = step.key;
    made.epochs[kept + index] = step.epoch;
    made.counts.set(step.counts, (kept + index) * FIELDS);
  }
  return made;
}

/** The samples that give these receipts: key, epoch and counts of each step. */
export function receiptSteps(receipts: Receipts): readonly Step[] {
  return Array.from(receipts.keys, (_, at) => stepAt(receipts, at));
}

/** The growth that days of receipt witness: four numbers (COUNT_FIELDS) for each day from `first` on, 0 for those without. */
export interface WitnessedGrowth {
  readonly first: number;
  readonly growth: Float64Array;
}

/** What the days of streams witness together. */
export function witnessedGrowth(streams: readonly Receipts[]): WitnessedGrowth {
  let first = Number.POSITIVE_INFINITY;
  let last = 0;
  for (const { keys } of streams) {
    if (keys.length === 0) continue;
    first = Math.min(first, dayOfReceipt(keys[keys[0] === FOLDED_KEY && keys.length > 1 ? 1 : 0]!));
    last = Math.max(last, dayOfReceipt(keys[keys.length - 1]!));
  }
  if (first > last) return { first: 0, growth: new Float64Array(0) };
  const growth = new Float64Array((last - first + 1) * FIELDS);
  for (const { keys, epochs, counts } of streams) {
    for (let at = 0; at < keys.length; at++) {
      if (keys[at]! % 2 === 0) continue;
      const to = (dayOfReceipt(keys[at]!) - first) * FIELDS;
      const continues = at > 0 && epochs[at - 1] === epochs[at];
      for (let field = 0; field < FIELDS; field++) {
        growth[to + field]! += counts[at * FIELDS + field]! - (continues ? counts[(at - 1) * FIELDS + field]! : 0);
      }
    }
  }
  return { first, growth };
}

/** The day on which counts were first stated in an epoch; 0 for those of days that are no longer kept, and where they never were. */
export function dayOfCounts({ keys, epochs, counts }: Receipts, epoch: number, wanted: readonly number[]): number {
  const at = keys.findIndex(
    (_, step) => epochs[step] === epoch && wanted.every((count, field) => counts[step * FIELDS + field]! >= count),
  );
  return at < 0 ? 0 : dayOfReceipt(keys[at]!);
}

/** The first day of receipt that is kept as of an hour. */
export function firstKeptDay(hour: number): number {
  return dayOf(hour) - WITNESS_DAYS + 1;
}

/** The receipts without the steps of days before `day`, whose last one stays as what is known before it. */
export function withoutDaysBefore(receipts: Receipts, day: number): Receipts {
  let first = 0;
  while (first < receipts.keys.length && receipts.keys[first]! < 2 * day) first++;
  if (first === 0 || (first === 1 && receipts.keys[0] === FOLDED_KEY)) return receipts;
  const keys = receipts.keys.slice(first - 1);
  keys[0] = FOLDED_KEY;
  return { keys, epochs: receipts.epochs.slice(first - 1), counts: receipts.counts.slice((first - 1) * FIELDS) };
}
