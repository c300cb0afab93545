/** Pure functions on boards: base runs, segments, deltas, and reads from them. */

export { applySegments } from './apply-segments.ts';
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
export type { Cooperative } from './cooperative.ts';
export { cutSegment } from './cut-segment.ts';
export {
  applySegment,
  baseYieldOf,
  changesIn,
  currentYieldOf,
  type Delta,
  emptyDelta,
  type LevelSizes,
} from './delta.ts';
export { deltaLimit } from './delta-limit.ts';
export { positionIn, rankExcluding, rankedCount, rankIn } from './delta-rank.ts';
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
export { isSameYield, makeSegment, mergeSegments, type Segment, type YieldChange } from './segment.ts';
export { createSliceCursor, type RankedEntry, type SliceCursor } from './slice.ts';
export { sortWindow, sortWindowCooperatively } from './sort-window.ts';
export { YieldTable } from './yield-table.ts';
