import type { BoardView } from '../../../engine/ranking/index.ts';

/** What every report says of the board it is of. */
export function boardHead({ view, methodology }: BoardView) {
  return {
    board_version: view.version,
    generated_at: new Date(view.generatedAt).toISOString(),
    methodology: methodology.id,
  };
}
