import {
  baseYieldOf,
  countBefore,
  countGreater,
  currentYieldOf,
  isGreaterKnown,
  orderPageForKey,
  orderPageForYield,
  positionIn,
  type RankedEntry,
  rankExcluding,
  rankIn,
  SliceCursor,
} from '../core/board/index.ts';
import { type BoardState, rankedIn } from './board-state.ts';
import type { PageCache } from './page-cache.ts';

/** An operator's Yield on the board in a window; NaN when unranked. */
export async function publishedYield(
  pages: PageCache,
  { base, delta }: BoardState,
  operator: number,
  window: number,
): Promise<number> {
  const changed = currentYieldOf(delta, operator, window);
  if (changed !== undefined) return changed;
  return (await pages.baseRunRanks(base, operator))?.yields[window] ?? Number.NaN;
}

/** A Yield that an operator has, or would have, in a window. */
export interface OperatorYield {
  readonly operator: number;
  readonly window: number;
  readonly yield_: number;
}

/** The rank of a Yield without the operator's current entry. Reads at most two pages. */
export async function rankOfYield(
  pages: PageCache,
  state: BoardState,
  { operator, window, yield_ }: OperatorYield,
): Promise<number> {
  const delta = state.delta.windows[window]!;
  const baseYield = baseYieldOf(state.delta, operator, window);
  // The base run stores the rank of its Yield. Do not read it when the delta shows that its Yield differs.
  const mayMatch = baseYield === undefined || baseYield === yield_;
  const stored = mayMatch ? await pages.baseRunRanks(state.base, operator) : null;
  const own = currentYieldOf(state.delta, operator, window) ?? stored?.yields[window] ?? Number.NaN;
  const isSame = stored !== null && stored.yields[window] === yield_;
  const greater = isSame ? stored.ranks[window]! - 1 : await countGreaterInBase(pages, state, window, yield_);
  return rankExcluding(greater, delta, yield_, own);
}

/** Number of entries of a window with a Yield strictly greater than `yield_`. Reads at most one page. */
export async function countAbove(pages: PageCache, state: BoardState, window: number, yield_: number): Promise<number> {
  return rankIn(await countGreaterInBase(pages, state, window, yield_), state.delta.windows[window]!, yield_) - 1;
}

async function countGreaterInBase(
  pages: PageCache,
  { base }: BoardState,
  window: number,
  yield_: number,
): Promise<number> {
  const directory = base.directories[window]!;
  const index = orderPageForYield(directory, yield_);
  const needed = index !== null && !isGreaterKnown(directory, index, yield_);
  const page = needed ? await pages.orderPage(base.id, window, index) : undefined;
  return countGreater(directory, index, page, yield_);
}

/** Number of ranked operators of a window, including this one. */
export async function totalWith(
  pages: PageCache,
  state: BoardState,
  operator: number,
  window: number,
): Promise<number> {
  const own = await publishedYield(pages, state, operator, window);
  return rankedIn(state, window) + (Number.isNaN(own) ? 1 : 0);
}

/** At most `limit` entries of a window, from `offset` (0-based) on in board order. */
export interface Slice {
  readonly window: number;
  readonly offset: number;
  readonly limit: number;
}

export async function readSlice(
  pages: PageCache,
  { base, delta }: BoardState,
  { window, offset, limit }: Slice,
): Promise<readonly RankedEntry[]> {
  const cursor = new SliceCursor(base.directories[window]!, delta.windows[window]!, offset, limit);
  for (let page = cursor.needs(); page !== null; page = cursor.needs()) {
    cursor.feed(await pages.orderPage(base.id, window, page));
  }
  return cursor.result();
}

/** The 0-based position that an operator has with a Yield, or would have. Reads at most one page. */
export async function positionOfYield(
  pages: PageCache,
  state: BoardState,
  { operator, window, yield_ }: OperatorYield,
): Promise<number> {
  const directory = state.base.directories[window]!;
  const pageIndex = orderPageForKey(directory, yield_, operator);
  const page = pageIndex === null ? undefined : await pages.orderPage(state.base.id, window, pageIndex);
  const before = countBefore(directory, { y: yield_, operator, pageIndex, page });
  return positionIn(before, state.delta.windows[window]!, yield_, operator);
}
