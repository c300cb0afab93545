import { setImmediate as breathe } from 'node:timers/promises';
import type { Window } from '../../../engine/contract/index.ts';
import type { BoardRow, BoardView } from '../../../engine/ranking/index.ts';

/** Rows read at once: a few milliseconds of work between two looks at what else there is to do. */
const ROWS_AT_ONCE = 1_000;

/** All rows of a window at one board version, some at a time. Other requests are served in between. */
export async function* scanField(board: BoardView, window: Window): AsyncIterable<readonly BoardRow[]> {
  const total = board.view.totals[window];
  for (let offset = 0; offset < total; offset += ROWS_AT_ONCE) {
    yield await board.rows(window, offset, ROWS_AT_ONCE);
    await breathe();
  }
}
