import type { Window } from '../../../engine/contract/index.ts';
import type { BoardView } from '../../../engine/ranking/index.ts';
import { type TierRange, tierRanges } from '../analysis/tier-ranges.ts';
import { ToolError } from '../tool-error.ts';

/** Where every tier stands in a window, highest first. */
export async function readTierRanges(board: BoardView, window: Window): Promise<TierRange[]> {
  const { tiers } = board.methodology;
  const atLeast = await Promise.all(
    tiers.map(async ({ from }) => (from > 0 ? board.countAtLeast(window, from) : board.view.totals[window])),
  );
  return tierRanges(tiers, atLeast);
}

/** One of them. Throws a ToolError that names those there are when the board's methodology has no such tier. */
export function requireTier(ranges: readonly TierRange[], name: string): TierRange {
  const range = ranges.find((candidate) => candidate.name === name);
  if (range !== undefined) return range;
  throw new ToolError(`This board has no tier ${name}. Its tiers: ${ranges.map((tier) => tier.name).join(', ')}.`);
}
