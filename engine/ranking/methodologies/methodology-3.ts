import { CLASS_TIERS } from '../../contract/tiers.ts';
import type { Methodology } from './methodology.ts';

export const methodology3: Methodology = {
  id: 3,
  formula: 'yield-1',
  eligibility: { minimum_tokens: 400_000, minimum_input: 1_000, minimum_input_share: 0 },
  minimum_witnessed_days: 5,
  rules: 1,
  tiers: CLASS_TIERS,
  notes:
    'Yield = cache_read × output / input², over operators with enough usage to compare. The formula divides by the square of ' +
    'the input, and some tools log a handful of input tokens a turn: below 1,000 input tokens or 400,000 tokens in all, a few ' +
    'turns decide the Yield. Rules exclude what arithmetic rules out.',
};
