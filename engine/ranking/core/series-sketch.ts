import { COUNT_FIELDS } from '../../contract/signing/index.ts';
import { dayOf, dayOfCounts, type OperatorState } from './operator-state/index.ts';

/** Prints of a sketch, and how many two operators share whose series are identical. */
export const PRINTS = 8;
export const IDENTICAL_PRINTS = 4;

/** Least growth of a day that has a print: smaller ones can be equal by chance. */
const MIN_INPUT = 100;
const MIN_TOKENS = 10_000;

/** Digits in which proportions are compared. */
const DIGITS = 12;

/** Raised with each change of what a sketch contains: all operators are then sketched again. */
export const SKETCH_VERSION = 2;

const FIELDS = COUNT_FIELDS.length;

/**
 * A sketch of how an operator's counts grew: the 8 smallest hashes (32 bits, ascending) of the proportions of the other counts
 * to input, by stream and day. Copies share them, also with a factor, a constant or another day. The day of the state's hour,
 * which goes on, and each stream's first sample, whose growth is not known, have no print.
 *
 * Cache writes are in no public answer but those of open rows: who computes the other counts from the ratios of a profile cannot
 * submit an identical series, and a copy of an open row is the later one.
 */
export function seriesSketch(state: Pick<OperatorState, 'streams' | 'hour'>): number[] {
  return [...printedDays(state).keys()].sort((a, b) => a - b).slice(0, PRINTS);
}

/** What a print stands for: the counts of a stream at the end of a day. */
export interface PrintedDay {
  readonly counts: readonly number[];
  /** The day on which the stream's snapshots first stated them; 0 where that is no longer known. */
  readonly receivedOn: number;
}

/** The days of all prints; of equal prints the earliest. */
export function printedDays({ streams, hour }: Pick<OperatorState, 'streams' | 'hour'>): Map<number, PrintedDay> {
  const days = new Map<number, PrintedDay>();
  for (const { series, epoch, receipts } of streams) {
    const { hours, counts } = series;
    let before = -1;
    for (let step = 0; step < hours.length; step++) {
      const day = dayOf(hours[step]!);
      if (day >= dayOf(hour)) break;
      if (step + 1 < hours.length && dayOf(hours[step + 1]!) === day) continue;
      const print = before < 0 ? null : printOf(counts, before * FIELDS, step * FIELDS);
      if (print !== null && !days.has(print)) {
        const ends = [...counts.subarray(step * FIELDS, (step + 1) * FIELDS)];
        days.set(print, { counts: ends, receivedOn: dayOfCounts(receipts, epoch, ends) });
      }
      before = step;
    }
  }
  return days;
}

function printOf(counts: Float64Array, from: number, to: number): number | null {
  const [input, output, reads, writes] = COUNT_FIELDS.map((_, field) => counts[to + field]! - counts[from + field]!);
  if (input! < MIN_INPUT || input! + output! + reads! + writes! < MIN_TOKENS) return null;
  const proportions = [output!, reads!, writes!].map((count) => (count / input!).toPrecision(DIGITS));
  return hashOf(proportions.join(' '));
}

/** FNV-1a with the final mix of MurmurHash3, as a signed number of 32 bits. */
function hashOf(text: string): number {
  let hash = 0x811c9dc5;
  for (let at = 0; at < text.length; at++) hash = Math.imul(hash ^ text.charCodeAt(at), 0x01000193);
  hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b);
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35);
  return hash ^ (hash >>> 16);
}
