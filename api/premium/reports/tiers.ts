import { type TierPopulationsBody, WINDOWS, type Window } from '../../../engine/contract/index.ts';
import type { BoardView } from '../../../engine/ranking/index.ts';
import { boardHead } from './read-board.ts';

/** The number of operators of each tier in every window: one search per threshold, whatever the size of the board. */
export async function tierPopulations(board: BoardView): Promise<TierPopulationsBody> {
  const windows = await Promise.all(WINDOWS.map((window) => tiersOf(board, window)));
  return { type: 'tier_populations', ...boardHead(board), windows };
}

async function tiersOf(board: BoardView, window: Window): Promise<TierPopulationsBody['windows'][number]> {
  const { tiers } = board.methodology;
  const total = board.view.totals[window];
  // The lowest tier begins at 0, so it includes every ranked operator.
  const atLeast = await Promise.all(
    tiers.map(async ({ from }) => (from === 0 ? total : board.countAtLeast(window, from))),
  );
  const populations = tiers.map(({ name, from }, index) => {
    const operators = atLeast[index]! - (atLeast[index + 1] ?? 0);
    return {
      class_tier: name,
      yield_from: from,
      yield_below: tiers[index + 1]?.from ?? null,
      operators,
      share: total === 0 ? null : operators / total,
    };
  });
  return { window, total_operators: total, tiers: populations.toReversed() };
}
