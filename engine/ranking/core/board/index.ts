/** Pure functions on boards: base runs, segments, deltas, and reads from them. */

export {
  type BuiltBaseRun,
  buildBaseRun,
  buildBaseRunCooperatively,
  OPERATOR_PAGE_SLOTS,
  type OperatorPage,
  ORDER_PAGE_ENTRIES,
  operatorPageOf,
  operatorSlotOf,
  type PageSizes,
} from './base-run.ts';
export {
  decodeDirectories,
  decodeOperatorPage,
  decodeOrderPage,
  decodeRerankPart,
  decodeSegment,
  decodeTopEntries,
  encodeDirectories,
  encodeOperatorPage,
  encodeOrderPage,
  encodeRerankPart,
  encodeSegment,
  encodeTopEntriesHeader,
} from './codec.ts';
export { type Cooperative, runToCompletion } from './cooperative.ts';
export {
  applySegment,
  applySegments,
  baseYieldOf,
  changesIn,
  currentYieldOf,
  type Delta,
  deltaLimit,
  emptyDelta,
  type LevelSizes,
  positionIn,
  rankExcluding,
  rankedCount,
  rankIn,
} from './delta.ts';
export {
  countBefore,
  countGreater,
  isGreaterKnown,
  type OrderPage,
  orderPageForKey,
  orderPageForYield,
  type WindowDirectory,
} from './directory.ts';
export { boardAgo, keptHistory } from './history.ts';
export { type BoardKeys, isBefore, WINDOW_COUNT } from './keys.ts';
export { cutSegment, isSameYield, makeSegment, mergeSegments, type Segment, type YieldChange } from './segment.ts';
export { createSliceCursor, type RankedEntry, type SliceCursor } from './slice.ts';
export { sortWindow } from './sort-keys.ts';
export { YieldTable } from './yield-table.ts';
