import { CLASS_TIERS } from '../../contract/tiers.ts';
import type { Methodology } from './methodology.ts';

export const methodology1: Methodology = {
  id: 1,
  formula: 'yield-1',
  eligibility: { minimum_tokens: 0, minimum_input: 0, minimum_input_share: 0 },
  minimum_witnessed_days: 0,
  rules: null,
  tiers: CLASS_TIERS,
  notes: 'Yield = cache_read × output / input², over every operator with input tokens in the window.',
};
