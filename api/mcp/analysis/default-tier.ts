import type { TierRange } from '../../../engine/ranking/index.ts';

/** Operators that a tier must have for a comparison of its top with the rest. */
export const ENOUGH_OPERATORS = 10;

/** The tier to describe when none was given: the highest with enough operators, or the highest with any; else null. */
export function defaultTier(ranges: readonly TierRange[]): TierRange | null {
  const ofSize = (size: number) => ranges.find(({ start, end }) => end - start >= size);
  return ofSize(ENOUGH_OPERATORS) ?? ofSize(1) ?? null;
}
