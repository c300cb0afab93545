import type { RankingContext } from './context.ts';
import type { Methodology } from './methodologies/methodology.ts';

/** The methodology that a board was made under; throws when this program is older than the board. */
export function methodologyOf(context: RankingContext, board: { readonly methodology: number }): Methodology {
  const methodology = context.methodologies.get(board.methodology);
  if (methodology === undefined) throw new Error(`methodology ${board.methodology} is not known to this program`);
  return methodology;
}
