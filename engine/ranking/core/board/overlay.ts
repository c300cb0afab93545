import { editKeys } from './edit-keys.ts';
import { type BoardKeys, WINDOW_COUNT } from './keys.ts';
import { indexOfOperator } from './search.ts';
import { isSameYield, mergeSegments, type Segment } from './segment.ts';
import { sortKeys } from './sort-keys.ts';

/** How one window differs from its base, in board order. */
export interface WindowOverlay {
  /** Base entries that no longer hold. */
  readonly removed: BoardKeys;
  /** Entries of operators whose Yield is no longer that of the base. */
  readonly added: BoardKeys;
}

/**
 * The segments since a base, as one value. Never changed in place: a reader that waits for a page keeps a whole version
 * while newer ones are made.
 */
export interface Overlay {
  /** One a window. */
  readonly windows: readonly WindowOverlay[];
  /** The operators that differ from the base in some window, with their Yields there (`before`) and now (`after`). */
  readonly changes: Segment;
  /** Operators in `changes`. */
  readonly size: number;
}

const NO_KEYS: BoardKeys = { yields: new Float64Array(0), operators: new Uint32Array(0) };
const NO_CHANGES: Segment = { operators: NO_KEYS.operators, before: NO_KEYS.yields, after: NO_KEYS.yields };

/** The overlay of a base on which nothing was committed. */
export const emptyOverlay: Overlay = {
  windows: Array.from({ length: WINDOW_COUNT }, () => ({ removed: NO_KEYS, added: NO_KEYS })),
  changes: NO_CHANGES,
  size: 0,
};

/**
 * The overlay after one more segment, which must be the next one, or a merge of the next ones: an Error
 * tells of one whose Yields before contradict the overlay. Costs a copy of the overlay and the sorting of the segment.
 */
export function applySegment(overlay: Overlay, segment: Segment): Overlay {
  if (segment.operators.length === 0) return overlay;
  const baseYields = baseYieldsOf(overlay, segment);
  const windows = overlay.windows.map((window, index) => applyToWindow(window, segment, baseYields, index));
  const changes = mergeSegments(overlay.changes, segment);
  return { windows, changes, size: changes.operators.length };
}

/** The present Yield of an operator in a window (NaN = unranked), or undefined where the base still holds. */
export function currentYieldOf(overlay: Overlay, operator: number, window: number): number | undefined {
  const at = indexOfOperator(overlay.changes.operators, operator);
  return at < 0 ? undefined : overlay.changes.after[at * WINDOW_COUNT + window]!;
}

/**
 * The base Yields of a segment's operators, `WINDOW_COUNT` each: those the overlay remembers, and for operators it does
 * not know the Yields before the segment.
 */
function baseYieldsOf(overlay: Overlay, segment: Segment): Float64Array {
  const base = segment.before.slice();
  for (const [index, operator] of segment.operators.entries()) {
    const found = indexOfOperator(overlay.changes.operators, operator);
    if (found < 0) continue;
    for (let window = 0; window < WINDOW_COUNT; window++) {
      const at = index * WINDOW_COUNT + window;
      const known = found * WINDOW_COUNT + window;
      if (!isSameYield(segment.before[at]!, overlay.changes.after[known]!)) {
        throw new Error(`segment does not follow the overlay: operator ${operator} had another Yield`);
      }
      base[at] = overlay.changes.before[known]!;
    }
  }
  return base;
}

/**
 * Per operator the window holds (base Yield removed, present Yield added) while the two differ, and nothing while they
 * are the same; what is unranked is in neither. So a change drops the former pair and inserts the new one.
 */
function applyToWindow(
  overlay: WindowOverlay,
  segment: Segment,
  baseYields: Float64Array,
  window: number,
): WindowOverlay {
  const capacity = segment.operators.length;
  const removed = { dropped: keyList(capacity), inserted: keyList(capacity) };
  const added = { dropped: keyList(capacity), inserted: keyList(capacity) };
  for (let index = 0; index < capacity; index++) {
    const at = index * WINDOW_COUNT + window;
    const operator = segment.operators[index]!;
    const base = baseYields[at]!;
    const known = segment.before[at]!;
    const now = segment.after[at]!;
    if (isSameYield(known, now)) continue;
    const differed = !isSameYield(base, known);
    const differs = !isSameYield(base, now);
    if (differed && !differs) removed.dropped.add(base, operator);
    if (differs && !differed) removed.inserted.add(base, operator);
    if (differed) added.dropped.add(known, operator);
    if (differs) added.inserted.add(now, operator);
  }
  return {
    removed: editKeys(overlay.removed, removed.dropped.sorted(), removed.inserted.sorted()),
    added: editKeys(overlay.added, added.dropped.sorted(), added.inserted.sorted()),
  };
}

/** Collects the ranked of at most `capacity` entries, given in ascending order of their operators. */
function keyList(capacity: number) {
  const yields = new Float64Array(capacity);
  const operators = new Uint32Array(capacity);
  let length = 0;
  return {
    add(y: number, operator: number): void {
      if (Number.isNaN(y)) return;
      yields[length] = y;
      operators[length] = operator;
      length++;
    },
    sorted: (): BoardKeys => sortKeys({ yields: yields.subarray(0, length), operators: operators.subarray(0, length) }),
  };
}
