import { type Cooperative, runToCompletion } from './cooperative.ts';
import { countKeysBefore, countKeysGreater, indexOfOperator, WINDOW_COUNT } from './keys.ts';
import { type Level, levelOf, mergeLevels, type WindowEdits } from './level.ts';
import {
  cutSegment,
  isSameYield,
  makeSegment,
  mergeSegments,
  mergeSegmentsCooperatively,
  type Segment,
} from './segment.ts';

/** How one window differs from its base run: the edits of each level, the lowest first. */
export type WindowDelta = readonly WindowEdits[];

/**
 * The segments since a base run, merged into levels as in an LSM tree, each several times smaller than the one below:
 * most commits rewrite only the smallest. Counts add up over levels. Immutable: a reader that waits for a page keeps its version.
 */
export interface Delta {
  /** The lowest first. An operator may be in several levels, and their edits may cancel out. */
  readonly levels: readonly Level[];
  /** The levels' edits by window. */
  readonly windows: readonly WindowDelta[];
  /** Number of operators that differ from the base run in at least one window. */
  readonly size: number;
}

/** When levels are merged. */
export interface LevelSizes {
  /** Minimum number of operators of every level but the top one. */
  readonly minOperators: number;
  /** Minimum size ratio of a level to the one above. */
  readonly ratio: number;
}

/** With a delta of a million operators, a commit of 1,000 rewrites 11,000 on average, and a rank needs at most five levels. */
const LEVEL_SIZES: LevelSizes = { minOperators: 4_096, ratio: 4 };

/** Operators applied, or merged, per step: about 10 ms on a delta of 100,000 operators, sometimes 100 ms on one of two million. */
const OPERATORS_PER_STEP = 16_384;

export const emptyDelta: Delta = deltaOf([], 0);

/** The delta after the next segment or merge. Throws an Error when the segment's `before` Yields contradict the delta. */
export function applySegment(delta: Delta, segment: Segment, sizes?: LevelSizes): Delta {
  return runToCompletion(applySegmentCooperatively(delta, segment, sizes));
}

/** Cooperative `applySegment`: yields between the windows of a merge of levels. */
function* applySegmentCooperatively(
  delta: Delta,
  segment: Segment,
  sizes: LevelSizes = LEVEL_SIZES,
): Cooperative<Delta> {
  if (segment.operators.length === 0) return delta;
  const size = delta.size + growthBy(delta.levels, segment);
  if (size === 0) return emptyDelta;
  const levels = [...delta.levels];
  let top = levelOf(segment);
  for (let below = levels.pop(); below !== undefined; below = levels.pop()) {
    if (operatorsIn(below) >= Math.max(sizes.minOperators, sizes.ratio * operatorsIn(top))) {
      levels.push(below);
      break;
    }
    top = yield* mergeLevels(below, top);
  }
  if (operatorsIn(top) > 0) levels.push(top);
  return deltaOf(levels, size);
}

/** The delta after the next segments, in commit order. Merged first: applying hundreds one by one costs several times as much. */
export function* applySegments(
  delta: Delta,
  segments: readonly Segment[],
  operatorsPerStep: number = OPERATORS_PER_STEP,
  sizes?: LevelSizes,
): Cooperative<Delta> {
  const merged = yield* mergeSegmentsCooperatively(segments, operatorsPerStep);
  if (merged === undefined) return delta;
  let result = delta;
  for (const part of cutSegment(merged, operatorsPerStep)) {
    if (result !== delta) yield;
    result = yield* applySegmentCooperatively(result, copyOf(part), sizes);
  }
  return result;
}

/** A copy that shares no memory: a level that kept a part would keep the whole merged segment in memory. */
function copyOf({ operators, before, after }: Segment): Segment {
  return { operators: operators.slice(), before: before.slice(), after: after.slice() };
}

/** The current Yield of an operator in a window (NaN = unranked); undefined when the delta does not contain the operator. */
export function currentYieldOf({ levels }: Delta, operator: number, window: number): number | undefined {
  for (let index = levels.length - 1; index >= 0; index--) {
    const { operators, after } = levels[index]!.changes;
    const at = indexOfOperator(operators, operator);
    if (at >= 0) return after[at * WINDOW_COUNT + window]!;
  }
  return undefined;
}

/** The Yield of an operator in a window of the base run (NaN = unranked); undefined when the delta does not contain it. */
export function baseYieldOf({ levels }: Delta, operator: number, window: number): number | undefined {
  for (const { changes } of levels) {
    const at = indexOfOperator(changes.operators, operator);
    if (at >= 0) return changes.before[at * WINDOW_COUNT + window]!;
  }
  return undefined;
}

/** The operators that differ from the base run in at least one window: Yields in the base run (`before`) and now (`after`). */
export function changesIn({ levels }: Delta): Segment {
  const [first = makeSegment([]), ...others] = levels.map(({ changes }) => changes);
  return mergeSegments(first, ...others);
}

/** The rank of a Yield in a window. `baseGreater` is the result of `countGreater` for it in the base run. */
export function rankIn(baseGreater: number, delta: WindowDelta, y: number): number {
  let rank = 1 + baseGreater;
  for (const { removed, added } of delta) rank += countKeysGreater(added, y) - countKeysGreater(removed, y);
  return rank;
}

/** The rank of a Yield without the operator's current entry, whose Yield is `ownYield` (NaN: none). */
export function rankExcluding(baseGreater: number, delta: WindowDelta, y: number, ownYield: number): number {
  return rankIn(baseGreater, delta, y) - (ownYield > y ? 1 : 0);
}

/** Number of ranked operators of a window. `baseCount` is the count of its directory. */
export function rankedCount(baseCount: number, delta: WindowDelta): number {
  let count = baseCount;
  for (const { removed, added } of delta) count += added.yields.length - removed.yields.length;
  return count;
}

/** The 0-based position of (y, operator) in board order. `baseBefore`: `countBefore` of the key in the base run. */
export function positionIn(baseBefore: number, delta: WindowDelta, y: number, operator: number): number {
  let position = baseBefore;
  for (const { removed, added } of delta) {
    position += countKeysBefore(added, y, operator) - countKeysBefore(removed, y, operator);
  }
  return position;
}

/** A population up to this size is compacted when a tenth of it differs, and MIN_DELTA operators at least. */
const LARGE_POPULATION = 1_000_000;
const SHARE = 0.1;
const MIN_DELTA = 20_000;
/** Share of the operators beyond LARGE_POPULATION that may differ. */
const LARGE_SHARE = 0.25;

/**
 * The number of operators in the delta above which a board with a base run of `slots` is compacted. Commits and reads cost
 * little more on a large delta. Early compaction saves memory, at least 164 bytes per operator and level in every process
 * that reads; late compaction saves time, which for large populations would exceed that of all commits.
 */
export function deltaLimit(slots: number): number {
  const beyond = Math.max(0, slots - LARGE_POPULATION);
  return Math.max(MIN_DELTA, SHARE * (slots - beyond) + LARGE_SHARE * beyond);
}

function deltaOf(levels: readonly Level[], size: number): Delta {
  const windows = Array.from({ length: WINDOW_COUNT }, (_, window) => levels.map((level) => level.windows[window]!));
  return { levels, windows, size };
}

function operatorsIn({ changes }: Level): number {
  return changes.operators.length;
}

/** The change of `Delta.size` by a segment. Throws as `applySegment` does. */
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
      throw new Error(`segment does not follow the delta: operator ${operators[index]} had another Yield`);
    }
    if (!areSameYields(base.before, atBase, last.after, atLast)) growth--;
    if (!areSameYields(base.before, atBase, after, at)) growth++;
  }
  return growth;
}

function areSameYields(a: Float64Array, atA: number, b: Float64Array, atB: number): boolean {
  for (let window = 0; window < WINDOW_COUNT; window++) {
    if (!isSameYield(a[atA + window]!, b[atB + window]!)) return false;
  }
  return true;
}
