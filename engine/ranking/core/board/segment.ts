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
  const writer = segmentWriter(earlier.operators.length + later.operators.length);
  let atEarlier = 0;
  let atLater = 0;
  while (atEarlier < earlier.operators.length || atLater < later.operators.length) {
    const operatorEarlier = earlier.operators[atEarlier] ?? Number.POSITIVE_INFINITY;
    const operatorLater = later.operators[atLater] ?? Number.POSITIVE_INFINITY;
    const operator = Math.min(operatorEarlier, operatorLater);
    const from = operatorEarlier === operator ? earlier : later;
    const to = operatorLater === operator ? later : earlier;
    const atFrom = from === earlier ? atEarlier : atLater;
    const atTo = to === later ? atLater : atEarlier;
    writer.add(operator, from.before, atFrom * WINDOW_COUNT, to.after, atTo * WINDOW_COUNT);
    if (operatorEarlier === operator) atEarlier++;
    if (operatorLater === operator) atLater++;
  }
  return writer.finish();
}

/** Collects operators in ascending order, at most `capacity`, leaving out those that did not change. */
function segmentWriter(capacity: number) {
  const operators = new Uint32Array(capacity);
  const before = new Float64Array(capacity * WINDOW_COUNT);
  const after = new Float64Array(capacity * WINDOW_COUNT);
  let length = 0;
  return {
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
    finish: (): Segment => ({
      operators: operators.slice(0, length),
      before: before.slice(0, length * WINDOW_COUNT),
      after: after.slice(0, length * WINDOW_COUNT),
    }),
  };
}
