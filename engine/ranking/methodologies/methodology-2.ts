import { CLASS_TIERS } from '../../contract/tiers.ts';
import type { Methodology } from './methodology.ts';

/** A worked example of a change. No board uses it until it is activated with a re-rank. */
export const methodology2: Methodology = {
  id: 2,
  formula: 'yield-1',
  eligibility: { minimum_tokens: 10_000, minimum_input: 0, minimum_input_share: 0.000_01 },
  minimum_witnessed_days: 0,
  rules: null,
  tiers: CLASS_TIERS,
  notes:
    'Yield = cache_read × output / input², over operators with enough usage to compare and a plausible share of input. ' +
    'A few tokens say little about how an operator works, and an input that is tiny compared with the other counts is more ' +
    'often a counting error than a way of working, while the formula divides by its square.',
};
