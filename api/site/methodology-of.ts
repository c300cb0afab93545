import { METHODOLOGIES, type Methodology } from '../../config/methodologies/index.ts';
import type { BoardView } from '../../engine/ranking/index.ts';

/** The methodology that made a board. */
export function methodologyOf({ methodology }: Pick<BoardView, 'methodology'>): Methodology {
  const found = METHODOLOGIES.get(methodology);
  if (found === undefined) throw new Error(`methodology ${methodology} is not known here`);
  return found;
}
