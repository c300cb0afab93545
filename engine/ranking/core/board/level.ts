import { editKeys } from './edit-keys.ts';
import { keyCollector } from './key-collector.ts';
import { type BoardKeys, NO_KEYS, WINDOW_COUNT } from './keys.ts';
import { firstFrom } from './search.ts';
import { isSameYield, mergeSegments, type Segment } from './segment.ts';
import { sortKeys } from './sort-keys.ts';
import type { Steps } from './steps.ts';

/** How one window differs from what lies below, in board order. Nothing is in both. */
export interface WindowEdits {
  /** Entries that no longer hold. */
  readonly removed: BoardKeys;
  /** Entries of operators whose Yield is another than below. */
  readonly added: BoardKeys;
}

/** What one or several commits in a row changed on the board below: a base, with the layers before this one. */
export interface Level {
  readonly changes: Segment;
  /** The same as entries, one a window. */
  readonly windows: readonly WindowEdits[];
}

/** The layer that one segment makes. */
export function levelOf(segment: Segment): Level {
  const windows = Array.from({ length: WINDOW_COUNT }, (_, window) => editsOf(segment, window));
  return { changes: segment, windows };
}

/**
 * Two neighbouring layers as one, in a step for each window and one for the changes. Costs a copy of the earlier and a search
 * for each entry of the later.
 */
export function* mergeLevels(earlier: Level, later: Level): Steps<Level> {
  const pairs = pairsOf(earlier.changes, later.changes);
  const windows: WindowEdits[] = [];
  for (const [window, edits] of earlier.windows.entries()) {
    const { passed, undone } = cancelledBy(earlier.changes, later.changes, pairs, window);
    const { removed, added } = later.windows[window]!;
    windows.push({
      removed: editKeys(edits.removed, undone, editKeys(removed, passed, NO_KEYS)),
      added: editKeys(edits.added, passed, editKeys(added, undone, NO_KEYS)),
    });
    yield;
  }
  return { changes: mergeSegments(earlier.changes, later.changes), windows };
}

/** The operators that both change: their places in the earlier and in the later, one pair after the other. */
function pairsOf({ operators: earlier }: Segment, { operators: later }: Segment): readonly number[] {
  const pairs: number[] = [];
  let from = 0;
  for (let at = 0; at < later.length; at++) {
    from = firstFrom(earlier, later[at]!, from);
    if (earlier[from] === later[at]) pairs.push(from, at);
  }
  return pairs;
}

/**
 * Entries of a window that two layers together leave as they were: those that the earlier adds and the later removes
 * (`passed`), and those that the earlier removes and the later adds again (`undone`).
 */
function cancelledBy(earlier: Segment, later: Segment, pairs: readonly number[], window: number) {
  const passed = keyCollector(pairs.length / 2);
  const undone = keyCollector(pairs.length / 2);
  for (let pair = 0; pair < pairs.length; pair += 2) {
    const at = pairs[pair]! * WINDOW_COUNT + window;
    const operator = earlier.operators[pairs[pair]!]!;
    const [first, between] = [earlier.before[at]!, earlier.after[at]!];
    const last = later.after[pairs[pair + 1]! * WINDOW_COUNT + window]!;
    if (isSameYield(first, between) || isSameYield(between, last)) continue;
    if (!Number.isNaN(between)) passed.add(between, operator);
    if (first === last) undone.add(first, operator);
  }
  return { passed: sortKeys(passed.keys()), undone: sortKeys(undone.keys()) };
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
