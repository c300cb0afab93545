import { METHODOLOGIES } from '../../../engine/ranking/methodologies/index.ts';
import type { Inline } from './inline.ts';

/** Number of badge styles: the stylesheet has `tier-0` to `tier-7`. */
const STYLES = 8;

/** Style of each tier by its position in its methodology, 0 to `STYLES` − 1; newer methodologies override older ones. */
const LEVELS: ReadonlyMap<string, number> = new Map(
  Array.from(METHODOLOGIES.values()).flatMap(({ tiers }) =>
    tiers.map(({ name }, index): [string, number] => [
      name,
      tiers.length === 1 ? STYLES - 1 : Math.round((index / (tiers.length - 1)) * (STYLES - 1)),
    ]),
  ),
);

/** A tier as a badge; higher tiers have a stronger background. */
export function tierBadge(name: string): Inline {
  return [{ kind: 'tier', text: name, level: LEVELS.get(name) ?? 0 }];
}
