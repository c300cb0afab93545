import { type TierPopulationsBody, WINDOWS, type Window } from '../../../engine/contract/index.ts';
import type { BoardView } from '../../../engine/ranking/index.ts';
import { boardHead } from './read-board.ts';

/** The number of operators of each tier in every window: one search per threshold, whatever the size of the board. */
export async function tierPopulations(board: BoardView): Promise<TierPopulationsBody> {
  const windows = await Promise.all(WINDOWS.map((window) => tiersOf(board, window)));
  return { type: 'tier_populations', ...boardHead(board), windows };
}

async function tiersOf(board: BoardView, window: Window): Promise<TierPopulationsBody['windows'][number]> {
  const total = board.view.totals[window];
  const tiers = (await board.tierRanges(window)).map(({ name, from, below, start, end }) => {
    const operators = end - start;
    const share = total === 0 ? null : operators / total;
    return { class_tier: name, yield_from: from, yield_below: below, operators, share };
  });
  return { window, total_operators: total, tiers };
}
