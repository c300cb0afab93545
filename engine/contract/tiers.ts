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
