import { WINDOW_COUNT } from './keys.ts';
import { type Level, levelOf, mergeLevels, type WindowEdits } from './level.ts';
import { indexOfOperator } from './search.ts';
import { isSameYield, makeSegment, mergeSegments, type Segment } from './segment.ts';
import { finish, type Steps } from './steps.ts';

/** How one window differs from its base: the edits of each layer, the lowest first. */
export type WindowDelta = readonly WindowEdits[];

/**
 * The segments since a base, as one value. Never changed in place: a reader that waits for a page keeps a whole version
 * while newer ones are made.
 *
 * It lies in layers, each on those before it and several times smaller, so that a commit makes a small one anew, seldom a
 * larger one and hardly ever the largest; counts over layers add up.
 */
export interface Delta {
  /** The lowest first. An operator may be in several of them, and what they do to it may come to nothing. */
  readonly levels: readonly Level[];
  /** The layers' edits by window. */
  readonly windows: readonly WindowDelta[];
  /** The operators that differ from the base in some window. */
  readonly size: number;
}

/** When layers become one. */
export interface LevelSizes {
  /** Operators that a layer has at least, unless it is the last. */
  readonly least: number;
  /** By how much a layer is larger than the next, at least. */
  readonly ratio: number;
}

/** In an overlay of a million a commit of 1,000 moves 11,000 operators on average, and a rank is looked up in five layers at most. */
const LEVEL_SIZES: LevelSizes = { least: 4_096, ratio: 4 };

/** The overlay of a base on which nothing was committed. */
export const emptyDelta: Delta = deltaOf([], 0);

/**
 * The overlay after one more segment, which must be the next one, or a merge of the next ones: an Error
 * tells of one whose Yields before contradict the overlay.
 */
export function applySegment(delta: Delta, segment: Segment, sizes?: LevelSizes): Delta {
  return finish(applySteps(delta, segment, sizes));
}

/** The same in steps: where many layers become one, between their windows. */
export function* applySteps(delta: Delta, segment: Segment, sizes: LevelSizes = LEVEL_SIZES): Steps<Delta> {
  if (segment.operators.length === 0) return delta;
  const size = delta.size + growthBy(delta.levels, segment);
  if (size === 0) return emptyDelta;
  const levels = [...delta.levels];
  let top = levelOf(segment);
  for (let below = levels.pop(); below !== undefined; below = levels.pop()) {
    if (operatorsIn(below) >= Math.max(sizes.least, sizes.ratio * operatorsIn(top))) {
      levels.push(below);
      break;
    }
    top = yield* mergeLevels(below, top);
  }
  if (operatorsIn(top) > 0) levels.push(top);
  return deltaOf(levels, size);
}

/** The present Yield of an operator in a window (NaN = unranked), or undefined where the overlay does not know it. */
export function currentYieldOf({ levels }: Delta, operator: number, window: number): number | undefined {
  for (let index = levels.length - 1; index >= 0; index--) {
    const { operators, after } = levels[index]!.changes;
    const at = indexOfOperator(operators, operator);
    if (at >= 0) return after[at * WINDOW_COUNT + window]!;
  }
  return undefined;
}

/** The Yield of an operator in a window of the base (NaN = unranked), or undefined where the overlay does not know it. */
export function baseYieldOf({ levels }: Delta, operator: number, window: number): number | undefined {
  for (const { changes } of levels) {
    const at = indexOfOperator(changes.operators, operator);
    if (at >= 0) return changes.before[at * WINDOW_COUNT + window]!;
  }
  return undefined;
}

/** The operators that differ from the base in some window, with their Yields there (`before`) and now (`after`). */
export function changesIn({ levels }: Delta): Segment {
  const [first = makeSegment([]), ...others] = levels.map(({ changes }) => changes);
  return mergeSegments(first, ...others);
}

function deltaOf(levels: readonly Level[], size: number): Delta {
  const windows = Array.from({ length: WINDOW_COUNT }, (_, window) => levels.map((level) => level.windows[window]!));
  return { levels, windows, size };
}

function operatorsIn({ changes }: Level): number {
  return changes.operators.length;
}

/** By how many operators more the board differs from its base after a segment. Throws as `applySegment` does. */
function growthBy(levels: readonly Level[], { operators, before, after }: Segment): number {
  let growth = 0;
  for (let index = 0; index < operators.length; index++) {
    const at = index * WINDOW_COUNT;
    let base: Segment | undefined;
    let last: Segment | undefined;
    let atBase = 0;
    let atLast = 0;
    for (const { changes } of levels) {
      const found = indexOfOperator(changes.operators, operators[index]!) * WINDOW_COUNT;
      if (found < 0) continue;
      last = changes;
      atLast = found;
      if (base !== undefined) continue;
      base = changes;
      atBase = found;
    }
    if (base === undefined || last === undefined) {
      growth++;
      continue;
    }
    if (!areSameYields(before, at, last.after, atLast)) {
      throw new Error(`segment does not follow the overlay: operator ${operators[index]} had another Yield`);
    }
    if (!areSameYields(base.before, atBase, last.after, atLast)) growth--;
    if (!areSameYields(base.before, atBase, after, at)) growth++;
  }
  return growth;
}

/** Whether two operators have the same Yields in all windows. */
function areSameYields(a: Float64Array, atA: number, b: Float64Array, atB: number): boolean {
  for (let window = 0; window < WINDOW_COUNT; window++) {
    if (!isSameYield(a[atA + window]!, b[atB + window]!)) return false;
  }
  return true;
}
