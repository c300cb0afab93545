import type { Window } from '../../engine/contract/index.ts';
import type { BoardEntry, BoardReader } from '../../engine/ranking/index.ts';

/** Entries of the newest board from `offset` (0-based) on, at most `limit`. */
export async function entriesOn(
  board: Pick<BoardReader, 'page'>,
  window: Window,
  offset: number,
  limit: number,
): Promise<readonly BoardEntry[]> {
  const page = await board.page({ window, limit, start: { offset }, at: null });
  if (page.kind !== 'page') throw new Error(`there is no page: ${page.kind}`);
  return page.rows.filter((row): row is BoardEntry => row.leverage !== undefined);
}
