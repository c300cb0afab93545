import type { Tier } from '../../../engine/ranking/methodologies/methodology.ts';

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
