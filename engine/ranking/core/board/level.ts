import type { Cooperative } from './cooperative.ts';
import {
  type BoardKeys,
  copyRange,
  countKeysBeforeFrom,
  firstFrom,
  isBefore,
  NO_KEYS,
  type Range,
  WINDOW_COUNT,
} from './keys.ts';
import { isSameYield, mergeSegments, type Segment } from './segment.ts';
import { sortKeys } from './sort-keys.ts';

/** Up to this many keys between two edits are copied one by one, which costs less than a search (measured). */
const WALKED_KEYS = 16;

/** How a level changes one window of the board below, in board order. `removed` and `added` are disjoint. */
export interface WindowEdits {
  readonly removed: BoardKeys;
  readonly added: BoardKeys;
}

/** The changes of one or more consecutive commits to the board below: a base run with the lower levels. */
export interface Level {
  readonly changes: Segment;
  /** The same changes as edits, one element per window. */
  readonly windows: readonly WindowEdits[];
}

export function levelOf(segment: Segment): Level {
  const windows = Array.from({ length: WINDOW_COUNT }, (_, window) => editsOf(segment, window));
  return { changes: segment, windows };
}

/** Merges adjacent levels, a step per window and one for the changes: copies the earlier one, searches per entry of the later. */
export function* mergeLevels(earlier: Level, later: Level): Cooperative<Level> {
  const pairs = pairsOf(earlier.changes, later.changes);
  const windows: WindowEdits[] = [];
  for (const [window, edits] of earlier.windows.entries()) {
    const { transient, restored } = cancelledBy(earlier.changes, later.changes, pairs, window);
    const { removed, added } = later.windows[window]!;
    windows.push({
      removed: editKeys(edits.removed, restored, editKeys(removed, transient, NO_KEYS)),
      added: editKeys(edits.added, transient, editKeys(added, restored, NO_KEYS)),
    });
    yield;
  }
  return { changes: mergeSegments(earlier.changes, later.changes), windows };
}

/** The operators in both segments, as consecutive pairs of their indices in the earlier and the later one. */
function pairsOf({ operators: earlier }: Segment, { operators: later }: Segment): readonly number[] {
  const pairs: number[] = [];
  let from = 0;
  for (let at = 0; at < later.length; at++) {
    from = firstFrom(earlier, later[at]!, from);
    if (earlier[from] === later[at]) pairs.push(from, at);
  }
  return pairs;
}

/** Entries that the earlier level adds and the later removes (`transient`), or removes and adds again (`restored`). */
function cancelledBy(earlier: Segment, later: Segment, pairs: readonly number[], window: number) {
  const transient = keyCollector(pairs.length / 2);
  const restored = keyCollector(pairs.length / 2);
  for (let pair = 0; pair < pairs.length; pair += 2) {
    const at = pairs[pair]! * WINDOW_COUNT + window;
    const operator = earlier.operators[pairs[pair]!]!;
    const [first, between] = [earlier.before[at]!, earlier.after[at]!];
    const last = later.after[pairs[pair + 1]! * WINDOW_COUNT + window]!;
    if (isSameYield(first, between) || isSameYield(between, last)) continue;
    if (!Number.isNaN(between)) transient.add(between, operator);
    if (first === last) restored.add(first, operator);
  }
  return { transient: sortKeys(transient.keys()), restored: sortKeys(restored.keys()) };
}

function editsOf({ operators, before, after }: Segment, window: number): WindowEdits {
  const removed = keyCollector(operators.length);
  const added = keyCollector(operators.length);
  for (let index = 0; index < operators.length; index++) {
    const at = index * WINDOW_COUNT + window;
    const [from, to] = [before[at]!, after[at]!];
    if (isSameYield(from, to)) continue;
    if (!Number.isNaN(from)) removed.add(from, operators[index]!);
    if (!Number.isNaN(to)) added.add(to, operators[index]!);
  }
  return { removed: sortKeys(removed.keys()), added: sortKeys(added.keys()) };
}

/** Collects at most `capacity` keys in insertion order. */
function keyCollector(capacity: number) {
  const yields = new Float64Array(capacity);
  const operators = new Uint32Array(capacity);
  let length = 0;
  return {
    add(y: number, operator: number): void {
      yields[length] = y;
      operators[length] = operator;
      length++;
    },
    /** The added keys. They share the collector's memory: add no more afterwards. */
    keys: (): BoardKeys => ({ yields: yields.subarray(0, length), operators: operators.subarray(0, length) }),
  };
}

/**
 * Returns `keys` without `dropped` and with `inserted`, all in board order. Throws an Error when a dropped key is not among
 * `keys`; inserted ones must not be. The arguments are not modified.
 *
 * Runs between two edits are block copies, so that few edits of many keys cost little more than a memory copy.
 */
function editKeys(keys: BoardKeys, dropped: BoardKeys, inserted: BoardKeys): BoardKeys {
  const droppedCount = dropped.yields.length;
  const insertedCount = inserted.yields.length;
  if (droppedCount + insertedCount === 0) return keys;
  const length = keys.yields.length + insertedCount - droppedCount;
  const target = { yields: new Float64Array(length), operators: new Uint32Array(length) };
  let at = 0;
  let to = 0;
  let atDropped = 0;
  let atInserted = 0;
  while (atDropped < droppedCount || atInserted < insertedCount) {
    const isInsert = comesFirst(inserted, atInserted, dropped, atDropped);
    const y = isInsert ? inserted.yields[atInserted]! : dropped.yields[atDropped]!;
    const operator = isInsert ? inserted.operators[atInserted]! : dropped.operators[atDropped]!;
    const near = Math.min(at + WALKED_KEYS, keys.yields.length);
    while (at < near && isBefore(keys.yields[at]!, keys.operators[at]!, y, operator)) {
      target.yields[to] = keys.yields[at]!;
      target.operators[to] = keys.operators[at]!;
      at++;
      to++;
    }
    if (at === near) {
      const next = countKeysBeforeFrom(keys, y, operator, at);
      copyRun(keys, { start: at, end: next }, target, to);
      to += next - at;
      at = next;
    }
    if (isInsert) {
      target.yields[to] = y;
      target.operators[to] = operator;
      to++;
      atInserted++;
    } else {
      if (keys.yields[at] !== y || keys.operators[at] !== operator) throw new Error(`no entry of operator ${operator}`);
      at++;
      atDropped++;
    }
  }
  copyRun(keys, { start: at, end: keys.yields.length }, target, to);
  return target;
}

/** Whether a[atA] is the next edit: it precedes b[atB], or b is exhausted. */
function comesFirst(a: BoardKeys, atA: number, b: BoardKeys, atB: number): boolean {
  if (atA === a.yields.length) return false;
  if (atB === b.yields.length) return true;
  return isBefore(a.yields[atA]!, a.operators[atA]!, b.yields[atB]!, b.operators[atB]!);
}

function copyRun(source: BoardKeys, range: Range, target: BoardKeys, to: number): void {
  copyRange(source.yields, range, target.yields, to);
  copyRange(source.operators, range, target.operators, to);
}
