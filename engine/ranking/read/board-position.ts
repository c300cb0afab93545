import { countBefore, orderPageForKey, positionIn } from '../core/board/index.ts';
import { publishedYield } from './board-ranks.ts';
import type { BoardState } from './board-state.ts';
import type { PageCache } from './page-cache.ts';

/** The 0-based position of an operator's entry in board order; null when it is unranked. Reads at most two pages. */
export async function positionOf(
  pages: PageCache,
  state: BoardState,
  operator: number,
  window: number,
): Promise<number | null> {
  const yield_ = await publishedYield(pages, state, operator, window);
  if (Number.isNaN(yield_)) return null;
  const directory = state.base.directories[window]!;
  const index = orderPageForKey(directory, yield_, operator);
  const page = index === null ? undefined : await pages.orderPage(state.base.id, window, index);
  const before = countBefore(directory, index, page, yield_, operator);
  return positionIn(before, state.delta.windows[window]!, yield_, operator);
}
