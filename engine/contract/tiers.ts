/** The class tiers of the methodologies published so far: ascending, with the minimum Yield of each. Never edit them. */
export const CLASS_TIERS = [
  { name: 'IGNITER', from: 0 },
  { name: 'BEARER', from: 0.1 },
  { name: 'REFINER', from: 1 },
  { name: 'SEEKER', from: 10 },
  { name: 'BASE', from: 100 },
  { name: 'POWER', from: 1_000 },
  { name: 'ARCH', from: 10_000 },
  { name: 'ARCH+', from: 100_000 },
] as const;

/** The minimum Yield of the next tier above a Yield; Infinity in the highest tier. */
export function nextTierFrom(yield_: number): number {
  return CLASS_TIERS.find(({ from }) => from > yield_)?.from ?? Number.POSITIVE_INFINITY;
}

/** Percentile steps per percentage point: two decimals. */
const PERCENTILE_STEPS = 100;

/**
 * Percentage of ranked operators at or below a rank, 0 to 100 with two decimals. `total` includes the operator at `rank`.
 * Throws RangeError for a rank outside 1 to `total`.
 */
export function percentileOf(rank: number, total: number): number {
  if (!(rank >= 1 && rank <= total)) throw new RangeError(`rank ${rank} is not within 1 to ${total}`);
  return Math.round((100 * PERCENTILE_STEPS * (total - rank + 1)) / total) / PERCENTILE_STEPS;
}
