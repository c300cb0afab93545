import { type Cooperative, runToCompletion } from './cooperative.ts';
import { copyRange, type Range, WINDOW_COUNT } from './keys.ts';

/**
 * The changes of one or more consecutive commits: the Yields of each operator before and after, `WINDOW_COUNT` per
 * operator, NaN = unranked. Every operator in it changed in at least one window.
 */
export interface Segment {
  /** Ascending, without duplicates. */
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

/** From changes in any order, without those that change nothing; −0 becomes 0. Throws RangeError for a duplicate operator. */
export function makeSegment(changes: readonly YieldChange[]): Segment {
  const writer = segmentWriter(changes.length);
  let last = -1;
  for (const { operator, before, after } of changes.toSorted((a, b) => a.operator - b.operator)) {
    if (operator === last) throw new RangeError(`operator ${operator} occurs twice in one segment`);
    last = operator;
    writer.add({ operator, before, beforeAt: 0, after, afterAt: 0 });
  }
  return writer.finish();
}

/** Merges segments in commit order: first `before`, last `after`; operators with equal ones are omitted. */
export function mergeSegments(first: Segment, ...others: readonly Segment[]): Segment {
  return runToCompletion(mergeSegmentsCooperatively([first, ...others], Number.POSITIVE_INFINITY))!;
}

/** Cooperative `mergeSegments`, with about as many operators per step; undefined without segments. */
export function* mergeSegmentsCooperatively(
  segments: readonly Segment[],
  operatorsPerStep: number,
): Cooperative<Segment | undefined> {
  // Merging pairwise in rounds costs log n passes over the operators of n segments; one by one would cost n.
  let operators = 0;
  let round = segments;
  while (round.length > 1) {
    const next: Segment[] = [];
    for (let at = 0; at < round.length; at += 2) {
      const later = round[at + 1];
      const merged = later === undefined ? round[at]! : mergePair(round[at]!, later);
      next.push(merged);
      operators += merged.operators.length;
      if (operators < operatorsPerStep) continue;
      yield;
      operators = 0;
    }
    round = next;
  }
  return round[0];
}

/** Splits a segment into parts of at most `maxOperators` operators, in order. The parts share its memory. */
export function* cutSegment(
  { operators, before, after }: Segment,
  maxOperators: number,
): Generator<Segment, void, undefined> {
  for (let from = 0; from < operators.length; from += maxOperators) {
    const to = Math.min(from + maxOperators, operators.length);
    yield {
      operators: operators.subarray(from, to),
      before: before.subarray(from * WINDOW_COUNT, to * WINDOW_COUNT),
      after: after.subarray(from * WINDOW_COUNT, to * WINDOW_COUNT),
    };
  }
}

/** Whether two Yields are equal; unranked (NaN) equals unranked. */
export function isSameYield(a: number, b: number): boolean {
  return a === b || (Number.isNaN(a) && Number.isNaN(b));
}

function mergePair(earlier: Segment, later: Segment): Segment {
  const target = segmentWriter(earlier.operators.length + later.operators.length);
  let atEarlier = 0;
  let atLater = 0;
  for (;;) {
    const endEarlier = runEnd(earlier.operators, atEarlier, later.operators[atLater]);
    target.addRun(earlier, { start: atEarlier, end: endEarlier });
    atEarlier = endEarlier;
    const endLater = runEnd(later.operators, atLater, earlier.operators[atEarlier]);
    target.addRun(later, { start: atLater, end: endLater });
    atLater = endLater;
    if (atEarlier === earlier.operators.length && atLater === later.operators.length) return target.finish();
    if (earlier.operators[atEarlier] !== later.operators[atLater]) continue;
    const operator = earlier.operators[atEarlier]!;
    const [beforeAt, afterAt] = [atEarlier * WINDOW_COUNT, atLater * WINDOW_COUNT];
    target.add({ operator, before: earlier.before, beforeAt, after: later.after, afterAt });
    atEarlier++;
    atLater++;
  }
}

/** The end of the run of operators from `at` on that are below `bound`; the end of the array without a bound. */
function runEnd(operators: Uint32Array, at: number, bound: number | undefined): number {
  if (bound === undefined) return operators.length;
  let end = at;
  while (end < operators.length && operators[end]! < bound) end++;
  return end;
}

/** A change, and where its Yields begin in the arrays. */
interface PlacedChange extends YieldChange {
  readonly beforeAt: number;
  readonly afterAt: number;
}

/** Collects at most `capacity` changes in ascending order of operators. */
function segmentWriter(capacity: number) {
  const operators = new Uint32Array(capacity);
  const before = new Float64Array(capacity * WINDOW_COUNT);
  const after = new Float64Array(capacity * WINDOW_COUNT);
  let length = 0;
  return {
    /** Adds one operator unless its Yields stay the same. */
    add(change: PlacedChange): void {
      let changed = false;
      const at = length * WINDOW_COUNT;
      for (let window = 0; window < WINDOW_COUNT; window++) {
        const yieldBefore = change.before[change.beforeAt + window]! + 0;
        const yieldAfter = change.after[change.afterAt + window]! + 0;
        before[at + window] = yieldBefore;
        after[at + window] = yieldAfter;
        changed ||= !isSameYield(yieldBefore, yieldAfter);
      }
      if (!changed) return;
      operators[length] = change.operator;
      length++;
    },
    /** Copies a range of operators of another segment. */
    addRun(source: Segment, range: Range): void {
      const yields = { start: range.start * WINDOW_COUNT, end: range.end * WINDOW_COUNT };
      copyRange(source.operators, range, operators, length);
      copyRange(source.before, yields, before, length * WINDOW_COUNT);
      copyRange(source.after, yields, after, length * WINDOW_COUNT);
      length += range.end - range.start;
    },
    /** The collected segment. It keeps the unused capacity in memory, which avoids a copy. */
    finish: (): Segment => ({
      operators: operators.subarray(0, length),
      before: before.subarray(0, length * WINDOW_COUNT),
      after: after.subarray(0, length * WINDOW_COUNT),
    }),
  };
}
