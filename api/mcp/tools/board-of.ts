import type { Window } from '../../../engine/contract/index.ts';
import type { BoardOverview } from '../../../engine/ranking/index.ts';

/** The members that tell which board an answer was read from. */
export function boardOf({ generatedAt, totals }: Pick<BoardOverview, 'generatedAt' | 'totals'>, window: Window) {
  return { window, generated_at: new Date(generatedAt).toISOString(), total_operators: totals[window] };
}
