/** The board's pure mathematics: bases, segments, overlays, and what is read from them. */
export {
  type BuiltBaseRun,
  buildBaseRun,
  buildSteps,
  OPERATOR_PAGE_SLOTS,
  type OperatorPage,
  ORDER_PAGE_ENTRIES,
  operatorPageOf,
  operatorSlotOf,
  type PageSizes,
} from './base-run.ts';
export {
  decodeDirectory,
  decodeOperatorPage,
  decodeOrderPage,
  decodeSegment,
  encodeDirectory,
  encodeOperatorPage,
  encodeOrderPage,
  encodeSegment,
} from './codec.ts';
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
export { followSegments } from './follow-segments.ts';
export { boardAgo, keptHistory } from './history.ts';
export { type BoardKeys, isBefore, WINDOW_COUNT } from './keys.ts';
export { isSameYield, makeSegment, mergeSegments, type Segment, type YieldChange } from './segment.ts';
export { createSliceCursor, type RankedEntry, type SliceCursor } from './slice.ts';
export { sortWindow, sortWindowSteps } from './sort-window.ts';
export type { Steps } from './steps.ts';
export { YieldTable } from './yield-table.ts';
