import { LeaderboardResponse, MAX_LEADERBOARD_LIMIT, type Window } from '../../../engine/contract/index.ts';
import type { Platform } from '../../../engine/contract/platforms.ts';
import type { BoardOverview, BoardPage, BoardReader } from '../../../engine/ranking/index.ts';

/** The first hundred rows of one version of a board, as GET /leaderboard writes them. */
export interface BoardRows {
  /** The id of a frame: the generation and the version of the board. */
  readonly id: string;
  /** What a frame says of the board, as JSON without its closing brace. */
  readonly head: string;
  /** The rows as JSON by codename, in board order. */
  readonly rows: ReadonlyMap<string, string>;
}

export type RowSource = Pick<BoardReader, 'view' | 'withBoardView'>;

export function boardId({ generation, version }: Pick<BoardOverview, 'generation' | 'version'>): string {
  return `${generation}-${version}`;
}

/** Reads the newest board of a window: of all operators from memory, of a platform from the store. @throws errors of the store. */
export async function readRows(board: RowSource, window: Window, platform: Platform | null): Promise<BoardRows> {
  if (platform === null) {
    const view = board.view();
    const { generatedAt: boardAt, methodology, totals, topEntries } = view;
    return written(boardId(view), {
      ...view,
      window,
      platform,
      boardAt,
      methodology,
      total: totals[window],
      rows: topEntries[window],
    });
  }
  return board.withBoardView(async ({ view, page }) => {
    const read = await page({ window, limit: MAX_LEADERBOARD_LIMIT, start: { offset: 0 }, at: null, platform });
    if (read.kind !== 'page') throw new Error(`the board of ${platform} has no page: ${read.kind}`);
    return written(boardId(view), { ...read, window, platform });
  });
}

interface Page extends Pick<BoardPage, 'version' | 'boardAt' | 'methodology' | 'total' | 'rows'> {
  readonly window: Window;
  readonly platform: Platform | null;
}

function written(id: string, { version, boardAt, methodology, total, rows, window, platform }: Page): BoardRows {
  const { entries = [], ...head } = LeaderboardResponse.parse({
    board_at: new Date(boardAt).toISOString(),
    board_version: version,
    methodology,
    total_operators: total,
    window,
    platform,
    entries: rows,
  });
  const byCodename = new Map(entries.map((entry) => [entry.codename, JSON.stringify(entry)]));
  return { id, head: JSON.stringify(head).slice(0, -1), rows: byCodename };
}

/** The frame that has all rows. */
export function boardFrame(now: BoardRows): Buffer {
  return frame(now, 'board', `"entries":[${[...now.rows.values()].join(',')}]`);
}

/**
 * The frame that leads from the rows of a version to those of a later one: `left` and the codenames of `entries` are taken out, then
 * each of `entries` is put in at its place of `places`. All rows where that would not give their order.
 */
export function changeFrame(former: BoardRows, now: BoardRows): Buffer {
  const isKept = (codename: string): boolean => former.rows.get(codename) === now.rows.get(codename);
  const [before, after] = [[...former.rows.keys()], [...now.rows.keys()]];
  if (before.filter(isKept).join() !== after.filter(isKept).join()) return boardFrame(now);
  const left = before.filter((codename) => !now.rows.has(codename));
  const places = after.flatMap((codename, place) => (isKept(codename) ? [] : [place]));
  const entries = places.map((place) => now.rows.get(after[place]!));
  return frame(
    now,
    'change',
    `"left":${JSON.stringify(left)},"places":[${places.join(',')}],"entries":[${entries.join(',')}]`,
  );
}

function frame({ id, head }: BoardRows, event: 'board' | 'change', rows: string): Buffer {
  return Buffer.from(`id: ${id}\nevent: ${event}\ndata: ${head},${rows}}\n\n`);
}
