import { METHODOLOGIES } from '../../../engine/ranking/methodologies/index.ts';
import type { Inline } from './inline.ts';

/** How many looks a tier's badge has: the stylesheet knows `tier-0` to `tier-7`. */
const LOOKS = 8;

/** How high each tier stands among those of its methodology, from 0 to `LOOKS` − 1; newer methodologies decide. */
const LEVELS: ReadonlyMap<string, number> = new Map(
  Array.from(METHODOLOGIES.values()).flatMap(({ tiers }) =>
    tiers.map(({ name }, index): [string, number] => [
      name,
      tiers.length === 1 ? LOOKS - 1 : Math.round((index / (tiers.length - 1)) * (LOOKS - 1)),
    ]),
  ),
);

/** A tier as a badge: its name, on a ground that is the stronger the higher the tier. */
export function tierBadge(name: string): Inline {
  return [{ kind: 'tier', text: name, level: LEVELS.get(name) ?? 0 }];
}
