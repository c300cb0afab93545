import type { BoardView } from '../../../engine/ranking/index.ts';

/** The members of every report that identify its board. */
export function boardHead({ view, methodology }: BoardView) {
  return {
    board_version: view.version,
    generated_at: new Date(view.generatedAt).toISOString(),
    methodology: methodology.id,
  };
}
