import type { BoardOverview } from '../../engine/ranking/index.ts';
import { METHODOLOGIES, type Methodology } from '../../engine/ranking/methodologies/index.ts';

/** The methodology that made a board. */
export function methodologyOf({ methodology }: Pick<BoardOverview, 'methodology'>): Methodology {
  const found = METHODOLOGIES.get(methodology);
  if (found === undefined) throw new Error(`unknown methodology ${methodology}`);
  return found;
}
