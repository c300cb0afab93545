import type { Methodology } from './methodology.ts';

export const methodology1: Methodology = {
  id: 1,
  formula: 'yield-1',
  eligibility: { minimum_tokens: 0, minimum_input_share: 0 },
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
  notes: 'Yield = cache_read × output / input², over every operator with input tokens in the window.',
};
