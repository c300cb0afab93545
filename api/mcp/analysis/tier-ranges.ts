import type { Tier } from '../../../engine/ranking/methodologies/methodology.ts';

/**
 * The ranges of all tiers, highest first: positions [start, end) on a board, and Yields [from, below); `below` is null for
 * the highest tier. `atLeast[n]` is the number of ranked operators with at least the minimum Yield of tier n; that of the
 * lowest tier counts all.
 */
export function tierRanges(tiers: readonly Tier[], atLeast: readonly number[]) {
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

export type TierRange = ReturnType<typeof tierRanges>[number];

/** Operators that a tier must have for a comparison of its top with the rest. */
export const ENOUGH_OPERATORS = 10;

/** The tier to describe when none was given: the highest with enough operators, or the highest with any; else null. */
export function defaultTier(ranges: readonly TierRange[]): TierRange | null {
  const ofSize = (size: number) => ranges.find(({ start, end }) => end - start >= size);
  return ofSize(ENOUGH_OPERATORS) ?? ofSize(1) ?? null;
}
