import { seededRandom } from '../seeded-random.ts';
import { type Forgeries, openForge } from './forge.ts';
import { FORGED_GROWTH } from './forged-growth.ts';
import { FORGED_LEDGERS } from './forged-ledgers.ts';
import { FORGED_TOTALS } from './forged-totals.ts';
import type { History } from './history.ts';

const FORGERIES: Forgeries = { ...FORGED_TOTALS, ...FORGED_GROWTH, ...FORGED_LEDGERS };

/**
 * One forged history of each kind. Some lies are plausible as far as one history shows: copies, and those that keep to an
 * honest operator's ratios and sizes.
 */
export function forgedHistories(seed: number): History[] {
  return Object.entries(FORGERIES).map(([kind, { platform, beyond, make }], index) => {
    const made = make(openForge(seededRandom(seed + Math.imul(index + 1, 0x85ebca6b)), platform));
    return { kind, source: platform, honest: false, beyond, ...('submissions' in made ? made : { submissions: made }) };
  });
}
