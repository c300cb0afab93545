import { LeaderboardResponse, MAX_LEADERBOARD_LIMIT, type Window } from '../../../engine/contract/index.ts';
import type { Platform } from '../../../engine/contract/platforms.ts';
import type { BoardOverview, BoardReader } from '../../../engine/ranking/index.ts';

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
  const newest = board.view();
  const { generatedAt: boardAt, methodology, totals, topEntries } = newest;
  const first = { boardAt, methodology, total: totals[window], rows: topEntries[window] };
  const request = { window, limit: MAX_LEADERBOARD_LIMIT, start: { offset: 0 }, at: null, platform };
  const [view, page] =
    platform === null
      ? [newest, first]
      : await board.withBoardView(async (its) => [its.view, await its.page(request)] as const);
  if (!('rows' in page)) throw new Error(`the board of ${platform} has no page: ${page.kind}`);
  const { entries = [], ...head } = LeaderboardResponse.parse({
    board_at: new Date(page.boardAt).toISOString(),
    board_version: view.version,
    methodology: page.methodology,
    total_operators: page.total,
    window,
    platform,
    entries: page.rows,
  });
  const rows = new Map(entries.map((entry) => [entry.codename, JSON.stringify(entry)]));
  return { id: boardId(view), head: JSON.stringify(head).slice(0, -1), rows };
}

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
  const entries = places.map((place) => now.rows.get(after[place]!)).join(',');
  return frame(now, 'change', `"left":${JSON.stringify(left)},"places":[${places.join(',')}],"entries":[${entries}]`);
}

function frame({ id, head }: BoardRows, event: 'board' | 'change', rows: string): Buffer {
  return Buffer.from(`id: ${id}\nevent: ${event}\ndata: ${head},${rows}}\n\n`);
}
