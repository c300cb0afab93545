import type { Window } from '../../../engine/contract/index.ts';
import type { BoardView } from '../../../engine/ranking/index.ts';
import type { Tier } from '../../../engine/ranking/methodologies/methodology.ts';
import { ToolError } from '../tool.ts';

/** Where a tier stands on a board: positions [start, end), and the Yields [from, below) that belong to it. */
export interface TierRange {
  readonly name: string;
  readonly from: number;
  /** The least Yield of the next tier; null for the highest. */
  readonly below: number | null;
  readonly start: number;
  readonly end: number;
}

/**
 * The ranges of all tiers, highest first. `atLeast[n]` is how many ranked operators have at least the Yield where tier n
 * begins; that of the lowest tier is everybody.
 */
export function tierRanges(tiers: readonly Tier[], atLeast: readonly number[]): TierRange[] {
  return tiers
    .map(({ name, from }, index) => ({
      name,
      from,
      below: tiers[index + 1]?.from ?? null,
      start: index + 1 < tiers.length ? atLeast[index + 1]! : 0,
      end: atLeast[index]!,
    }))
    .toReversed();
}

/** Operators a tier must have for its top to be told from the rest. */
export const ENOUGH_OPERATORS = 10;

/** The tier to speak of when none was asked for: the highest with enough operators, or the highest with any; else null. */
export function defaultTier(ranges: readonly TierRange[]): TierRange | null {
  const size = ({ start, end }: TierRange): number => end - start;
  return ranges.find((range) => size(range) >= ENOUGH_OPERATORS) ?? ranges.find((range) => size(range) > 0) ?? null;
}

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
