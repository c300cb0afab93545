import { copyRange } from './copy-range.ts';
import { WINDOW_COUNT } from './keys.ts';

/**
 * What one commit, or several in a row, changed: the Yields of each operator before and after, `WINDOW_COUNT` an
 * operator, NaN = unranked. Every operator in it has changed in some window.
 */
export interface Segment {
  /** Ascending, each once. */
  readonly operators: Uint32Array;
  readonly before: Float64Array;
  readonly after: Float64Array;
}

/** The Yields of one operator before and after a commit: `WINDOW_COUNT` each, NaN = unranked. */
export interface YieldChange {
  readonly operator: number;
  readonly before: ArrayLike<number>;
  readonly after: ArrayLike<number>;
}

/**
 * Makes a segment of changes in any order. Those that change nothing are left out, −0 becomes 0; an operator named
 * twice is an error of the caller (RangeError).
 */
export function makeSegment(changes: readonly YieldChange[]): Segment {
  const writer = segmentWriter(changes.length);
  let last = -1;
  for (const { operator, before, after } of changes.toSorted((a, b) => a.operator - b.operator)) {
    if (operator === last) throw new RangeError(`operator ${operator} is changed twice in one segment`);
    last = operator;
    writer.add(operator, before, 0, after, 0);
  }
  return writer.finish();
}

/**
 * Segments in the order they were committed, as one: an operator keeps its first Yields before and its last after, and
 * is left out when these are the same.
 */
export function mergeSegments(first: Segment, ...others: readonly Segment[]): Segment {
  // Neighbours are merged in rounds: n segments cost log n passes over their operators, one by one would cost n.
  let round: readonly Segment[] = [first, ...others];
  while (round.length > 1) {
    const next: Segment[] = [];
    for (let at = 0; at < round.length; at += 2) {
      const later = round[at + 1];
      next.push(later === undefined ? round[at]! : mergePair(round[at]!, later));
    }
    round = next;
  }
  return round[0]!;
}

/** Whether two Yields of an operator are the same; unranked (NaN) is the same as unranked. */
export function isSameYield(a: number, b: number): boolean {
  return a === b || (Number.isNaN(a) && Number.isNaN(b));
}

function mergePair(earlier: Segment, later: Segment): Segment {
  const target = segmentWriter(earlier.operators.length + later.operators.length);
  let atEarlier = 0;
  let atLater = 0;
  for (;;) {
    const endEarlier = runEnd(earlier.operators, atEarlier, later.operators[atLater]);
    target.addRun(earlier, atEarlier, endEarlier);
    atEarlier = endEarlier;
    const endLater = runEnd(later.operators, atLater, earlier.operators[atEarlier]);
    target.addRun(later, atLater, endLater);
    atLater = endLater;
    if (atEarlier === earlier.operators.length && atLater === later.operators.length) return target.finish();
    if (earlier.operators[atEarlier] !== later.operators[atLater]) continue;
    const operator = earlier.operators[atEarlier]!;
    target.add(operator, earlier.before, atEarlier * WINDOW_COUNT, later.after, atLater * WINDOW_COUNT);
    atEarlier++;
    atLater++;
  }
}

/** The end of the run of operators from `at` on that stand below `bound`; the end of the list without a bound. */
function runEnd(operators: Uint32Array, at: number, bound: number | undefined): number {
  if (bound === undefined) return operators.length;
  let end = at;
  while (end < operators.length && operators[end]! < bound) end++;
  return end;
}

/** Collects changes in ascending order of their operators, at most `capacity`. */
function segmentWriter(capacity: number) {
  const operators = new Uint32Array(capacity);
  const before = new Float64Array(capacity * WINDOW_COUNT);
  const after = new Float64Array(capacity * WINDOW_COUNT);
  let length = 0;
  return {
    /** Adds one operator unless nothing changes for it. */
    add(operator: number, from: ArrayLike<number>, fromAt: number, to: ArrayLike<number>, toAt: number): void {
      let changed = false;
      const at = length * WINDOW_COUNT;
      for (let window = 0; window < WINDOW_COUNT; window++) {
        const yieldBefore = from[fromAt + window]! + 0;
        const yieldAfter = to[toAt + window]! + 0;
        before[at + window] = yieldBefore;
        after[at + window] = yieldAfter;
        changed ||= !isSameYield(yieldBefore, yieldAfter);
      }
      if (!changed) return;
      operators[length] = operator;
      length++;
    },
    /** Adds the operators [start, end) of another segment as they are. */
    addRun(source: Segment, start: number, end: number): void {
      copyRange(source.operators, start, end, operators, length);
      copyRange(source.before, start * WINDOW_COUNT, end * WINDOW_COUNT, before, length * WINDOW_COUNT);
      copyRange(source.after, start * WINDOW_COUNT, end * WINDOW_COUNT, after, length * WINDOW_COUNT);
      length += end - start;
    },
    /** What was collected. Unused capacity is kept with it rather than copying everything once more. */
    finish: (): Segment => ({
      operators: operators.subarray(0, length),
      before: before.subarray(0, length * WINDOW_COUNT),
      after: after.subarray(0, length * WINDOW_COUNT),
    }),
  };
}
