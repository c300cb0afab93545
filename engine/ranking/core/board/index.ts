/** The board's pure mathematics: bases, segments, overlays, and what is read from them. */
export {
  type BuiltBase,
  buildBase,
  buildSteps,
  OPERATOR_PAGE_SLOTS,
  type OperatorPage,
  ORDER_PAGE_ENTRIES,
  operatorPageOf,
  operatorSlotOf,
  type PageSizes,
} from './base.ts';
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
export {
  applySegment,
  baseYieldOf,
  changesIn,
  currentYieldOf,
  emptyOverlay,
  type LayerSizes,
  type Overlay,
} from './overlay.ts';
export { overlayLimit } from './overlay-limit.ts';
export { positionIn, rankExcluding, rankedCount, rankIn } from './overlay-rank.ts';
export { isSameYield, makeSegment, mergeSegments, type Segment, type YieldChange } from './segment.ts';
export { createSliceCursor, type RankedEntry, type SliceCursor } from './slice.ts';
export { sortWindow, sortWindowSteps } from './sort-window.ts';
export type { Steps } from './steps.ts';
export { YieldTable } from './yield-table.ts';
