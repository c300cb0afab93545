import type { RankingContext } from './context.ts';
import type { Methodology } from './methodologies/methodology.ts';

/** The methodology of a board; throws when this release does not know it. */
export function methodologyOf(context: RankingContext, board: { readonly methodology: number }): Methodology {
  const methodology = context.methodologies.get(board.methodology);
  if (methodology === undefined) throw new Error(`methodology ${board.methodology} is unknown to this release`);
  return methodology;
}
