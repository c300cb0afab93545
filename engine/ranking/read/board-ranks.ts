import {
  baseYieldOf,
  countGreater,
  createSliceCursor,
  currentYieldOf,
  isGreaterKnown,
  orderPageForYield,
  type RankedEntry,
  rankExcluding,
  rankIn,
} from '../core/board/index.ts';
import type { BoardState } from './board-state.ts';
import type { PageCache } from './page-cache.ts';

/** The Yield with which an operator stands on the board in a window; NaN when unranked there. */
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

/** The rank that a Yield of this operator has in a window, its own present entry left out. Reads at most two pages. */
export async function rankOfYield(
  pages: PageCache,
  state: BoardState,
  operator: number,
  window: number,
  yield_: number,
): Promise<number> {
  const delta = state.delta.windows[window]!;
  const own = await publishedYield(pages, state, operator, window);
  const remembered = baseYieldOf(state.delta, operator, window);
  // The base knows the rank of its own Yield: it is not asked where that is known to be another.
  const askBase = remembered === undefined || remembered === yield_;
  const known = askBase ? await pages.baseRunRanks(state.base, operator) : null;
  const sameAsBase = known !== null && known.yields[window] === yield_;
  const greater = sameAsBase ? known.ranks[window]! - 1 : await greaterInBase(pages, state, window, yield_);
  return rankExcluding(greater, delta, yield_, own);
}

/** How many entries of a window have a Yield strictly greater than `yield_`. Reads at most one page. */
export async function countAbove(pages: PageCache, state: BoardState, window: number, yield_: number): Promise<number> {
  return rankIn(await greaterInBase(pages, state, window, yield_), state.delta.windows[window]!, yield_) - 1;
}

async function greaterInBase(pages: PageCache, { base }: BoardState, window: number, yield_: number): Promise<number> {
  const directory = base.directories[window]!;
  const index = orderPageForYield(directory, yield_);
  const needed = index !== null && !isGreaterKnown(directory, index, yield_);
  const page = needed ? await pages.orderPage(base.id, window, index) : undefined;
  return countGreater(directory, index, page, yield_);
}

/** Entries of a window from `offset` (0-based) in board order, at most `limit`. */
export async function readSlice(
  pages: PageCache,
  { base, delta }: BoardState,
  window: number,
  offset: number,
  limit: number,
): Promise<readonly RankedEntry[]> {
  const cursor = createSliceCursor(base.directories[window]!, delta.windows[window]!, offset, limit);
  for (let page = cursor.needs(); page !== null; page = cursor.needs()) {
    cursor.feed(await pages.orderPage(base.id, window, page));
  }
  return cursor.result();
}
