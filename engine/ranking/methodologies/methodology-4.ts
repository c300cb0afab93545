import { CLASS_TIERS } from '../../contract/tiers.ts';
import type { Methodology } from './methodology.ts';

/** The methodology of new installations. */
export const methodology4: Methodology = {
  id: 4,
  formula: 'yield-1',
  eligibility: { minimum_tokens: 400_000, minimum_input: 1_000, minimum_input_share: 0 },
  minimum_witnessed_days: 5,
  rules: 2,
  tiers: CLASS_TIERS,
  notes:
    'Yield = cache_read × output / input², over operators with enough usage to compare. Rows are numbered when they are settled: the ' +
    'more extraordinary a Yield, the more days on which this service saw such usage arrive. Below 1,000 input tokens or 400,000 ' +
    'tokens in all, a few turns decide the Yield.',
};
