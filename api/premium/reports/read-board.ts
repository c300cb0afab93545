import { setImmediate as yieldToEventLoop } from 'node:timers/promises';
import type { Window } from '../../../engine/contract/index.ts';
import type { BoardRow, BoardView } from '../../../engine/ranking/index.ts';

/** Rows per read: a few milliseconds of work before the event loop gets a turn. */
const ROWS_PER_READ = 1_000;

/** The members of every report that identify its board. */
export function boardHead({ view, methodology }: BoardView) {
  return {
    board_version: view.version,
    generated_at: new Date(view.readAt).toISOString(),
    board_at: new Date(view.generatedAt).toISOString(),
    methodology: methodology.id,
  };
}

/** All rows of a window at one board version, in batches. Yields to the event loop in between. */
export async function* scanRows(board: BoardView, window: Window): AsyncIterable<readonly BoardRow[]> {
  const total = board.view.totals[window];
  for (let offset = 0; offset < total; offset += ROWS_PER_READ) {
    yield await board.rows(window, offset, ROWS_PER_READ);
    await yieldToEventLoop();
  }
}
