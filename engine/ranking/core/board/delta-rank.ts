import type { WindowDelta } from './delta.ts';
import { countKeysBefore, countKeysGreater } from './search.ts';

/** The rank of a Yield in a window. `baseGreater` is the result of `countGreater` for it in the base run. */
export function rankIn(baseGreater: number, delta: WindowDelta, y: number): number {
  let rank = 1 + baseGreater;
  for (const { removed, added } of delta) rank += countKeysGreater(added, y) - countKeysGreater(removed, y);
  return rank;
}

/**
 * The rank of a Yield without the operator's current entry. `ownYield` is the Yield of that entry, NaN if there is none.
 */
export function rankExcluding(baseGreater: number, delta: WindowDelta, y: number, ownYield: number): number {
  return rankIn(baseGreater, delta, y) - (ownYield > y ? 1 : 0);
}

/** Number of ranked operators of a window. `baseCount` is the count of its directory. */
export function rankedCount(baseCount: number, delta: WindowDelta): number {
  let count = baseCount;
  for (const { removed, added } of delta) count += added.yields.length - removed.yields.length;
  return count;
}

/**
 * Number of entries of a window before (y, operator) in board order, which is the 0-based position of that entry.
 * `baseBefore` is the result of `countBefore` for the key in the base run.
 */
export function positionIn(baseBefore: number, delta: WindowDelta, y: number, operator: number): number {
  let position = baseBefore;
  for (const { removed, added } of delta) {
    position += countKeysBefore(added, y, operator) - countKeysBefore(removed, y, operator);
  }
  return position;
}
