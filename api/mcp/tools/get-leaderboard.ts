import * as z from 'zod';
import {
  DEFAULT_LEADERBOARD_LIMIT,
  MAX_LEADERBOARD_LIMIT,
  MAX_OFFSET,
  readMoment,
  type Window,
  windowSentence,
} from '../../../engine/contract/index.ts';
import type { BoardPage, BoardView, PageRequest, PageStart } from '../../../engine/ranking/index.ts';
import { count, joinLines, showRow } from '../text.ts';
import {
  codenameField,
  Entry,
  INTEGRITY_TEXT,
  pageFields,
  pageHead,
  platformField,
  toolInput,
  windowField,
} from './fields.ts';
import { NOT_KEPT, requirePage } from './require-operator.ts';
import { defineTool, type ToolBoard, ToolError } from './tool.ts';

const EXCLUDING = [
  ['offset', 'around'],
  ['platform', 'at'],
  ['around', 'league'],
] as const;

export const getLeaderboard = defineTool({
  name: 'get_leaderboard',
  title: 'Leaderboard',
  summary: 'Operators of a window, ranked by Yield: a page anywhere on the board, now or at a kept hour.',
  description:
    'Operators of a window, best first, ranked by Yield = cache_read x output / input^2: from `offset` on, or `around` an operator, ' +
    'on the newest board, on a kept one (`at`), or on that of one AI tool (`platform`). Equal Yields share a rank. ' +
    'Every operator on the board submitted signed counts; nothing is estimated, and a board without operators is empty. ' +
    INTEGRITY_TEXT,
  input: toolInput({
    window: windowField,
    limit: z
      .int()
      .min(1)
      .max(MAX_LEADERBOARD_LIMIT)
      .default(DEFAULT_LEADERBOARD_LIMIT)
      .describe('Maximum number of entries to return.'),
    offset: z.int().min(0).max(MAX_OFFSET).optional().describe('Rows before the first one that is returned.'),
    around: codenameField
      .optional()
      .describe('A codename: returns `limit` rows with it in the middle. Without offset.'),
    league: z
      .string()
      .min(1)
      .max(64)
      .optional()
      .describe(
        'A league, as in its address: ranks its members among themselves. A private one needs a token of a member. Without around.',
      ),
    platform: platformField,
    at: z.string().optional().describe('A kept board: an hour (2026-11-28T14:00Z) or a day (2026-11-28).'),
  }),
  output: z.object({
    ...pageFields,
    offset: z.int().min(0).nullable(),
    entries: z.array(Entry).max(MAX_LEADERBOARD_LIMIT),
  }),
  async run(input, board) {
    const both = EXCLUDING.find(([one, other]) => input[one] !== undefined && input[other] !== undefined);
    if (both !== undefined) throw new ToolError(`${both.join(' and ')} exclude each other: leave one out.`);
    const { window, limit, offset, around, platform = null, at, league } = input;
    const start: PageStart = around === undefined ? { offset: offset ?? 0 } : { around };
    return board.withBoardView(async (view) => {
      const page = await pageOf(board, view, { window, limit, start, platform, at: momentOf(at) }, league);
      const structured = { ...pageHead(view, page, window, platform), offset: page.offset, entries: page.rows };
      return { structured, text: pageText(window, page, platform, league !== undefined) };
    });
  },
});

async function pageOf(board: ToolBoard, view: BoardView, request: PageRequest, league: string | undefined) {
  if (league === undefined) return requirePage(view, request);
  const offset = 'offset' in request.start ? request.start.offset : 0;
  const found = await board.leagueBoard(league, { ...request, offset });
  if (found === null)
    throw new ToolError('There is no such league, or it is private: call again with a token of a member.');
  if (found.kind !== 'page') throw new ToolError(NOT_KEPT);
  return found;
}

function momentOf(at: string | undefined): PageRequest['at'] {
  const moment = at === undefined ? null : readMoment(at);
  if (at !== undefined && moment === null) throw new ToolError(NOT_KEPT);
  return moment;
}

function pageText(
  window: Window,
  { version, boardAt, total, offset, rows }: BoardPage,
  platform: string | null,
  isLeague: boolean,
): string {
  // Ranks in a league are not those on the board of all.
  const [one, several] = isLeague ? ['member of the league', 'members of the league'] : ['operator', 'operators'];
  const by = platform === null ? '' : ` by the counts of ${platform} alone`;
  const of = version === null ? ` on the board of ${new Date(boardAt).toISOString()}` : '';
  if (total === 0)
    return `No ${one} is on ${isLeague ? 'its' : 'the'} board ${windowSentence(window)}${by}${of === '' ? ' yet' : of}.`;
  const those =
    offset === 0 && version !== null
      ? `The top ${rows.length}`
      : `${count(rows.length, 'row')} from place ${(offset ?? 0) + 1} on`;
  return joinLines(
    `${those} of ${count(total, one, several)} ${windowSentence(window)}${by}${of}:`,
    ...rows.map((row) => showRow(row, platform === null)),
  );
}
