import type { Window } from '../../../engine/contract/index.ts';
import type { BoardView } from '../../../engine/ranking/index.ts';

/** The members that tell which board an answer was read from. */
export function boardOf({ generatedAt, totals }: Pick<BoardView, 'generatedAt' | 'totals'>, window: Window) {
  return { window, generated_at: new Date(generatedAt).toISOString(), total_operators: totals[window] };
}
