import type { Methodology } from './methodology.ts';

/** A worked example of a change. No board uses it until it is activated with a re-rank. */
export const methodology2: Methodology = {
  id: 2,
  formula: 'yield-1',
  eligibility: { minimum_tokens: 10_000, minimum_input_share: 0.000_01 },
  tiers: [
    { name: 'IGNITER', from: 0 },
    { name: 'BEARER', from: 0.1 },
    { name: 'REFINER', from: 1 },
    { name: 'SEEKER', from: 10 },
    { name: 'BASE', from: 100 },
    { name: 'POWER', from: 1_000 },
    { name: 'ARCH', from: 10_000 },
    { name: 'ARCH+', from: 100_000 },
  ],
  notes:
    'Yield = cache_read × output / input², over operators with enough usage to compare and a plausible share of input. ' +
    'A few tokens say little about how an operator works, and an input that is tiny compared with the other counts is more ' +
    'often a counting error than a way of working, while the formula divides by its square.',
};
