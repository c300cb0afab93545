import * as z from 'zod';
import {
  DEFAULT_LEADERBOARD_LIMIT,
  LeaderboardResponse,
  MAX_LEADERBOARD_LIMIT,
  MAX_OFFSET,
  readMoment,
  type Window,
  windowSentence,
} from '../../../engine/contract/index.ts';
import { PLATFORMS } from '../../../engine/contract/platforms.ts';
import type { BoardPage, NoPage, PageRequest, PageStart } from '../../../engine/ranking/index.ts';
import { notRankedText } from '../../v1/leaderboard/get-leaderboard.ts';
import { count, joinLines, showRow } from '../text.ts';
import { boardFields, codenameField, Entry, INTEGRITY_TEXT, toolInput, windowField } from './fields.ts';
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
    platform: z.enum(PLATFORMS).optional().describe('An AI platform: ranks by its counts alone. Without at.'),
    at: z.string().optional().describe('A kept board: an hour (2026-11-28T14:00Z) or a day (2026-11-28).'),
  }),
  output: z.object({
    ...boardFields,
    board_version: boardFields.board_version.optional(),
    offset: z.int().min(0).nullable(),
    platform: LeaderboardResponse.shape.platform,
    at: LeaderboardResponse.shape.at,
    entries: z.array(Entry).max(MAX_LEADERBOARD_LIMIT),
  }),
  async run(input, board) {
    const both = EXCLUDING.find(([one, other]) => input[one] !== undefined && input[other] !== undefined);
    if (both !== undefined) throw new ToolError(`${both.join(' and ')} exclude each other: leave one out.`);
    const { window, limit, offset, around, platform = null, at: moment, league } = input;
    const start: PageStart = around === undefined ? { offset: offset ?? 0 } : { around };
    const asked = { window, limit, start, platform, at: moment };
    const page = await pageOf(board, asked, league);
    if (page.kind !== 'page') throw new ToolError(noPageText(page, window));
    const { version, methodology, boardAt, total, offset: first, rows, readAt } = page;
    const board_at = new Date(boardAt).toISOString();
    const at = version === null ? board_at : null;
    const structured = {
      window,
      ...(version === null ? {} : { board_version: version }),
      methodology,
      generated_at: new Date(readAt).toISOString(),
      board_at,
      total_operators: total,
      offset: first,
      platform,
      at,
      entries: rows,
    };
    return { structured, text: pageText(window, page, platform, league !== undefined) };
  },
});

type Asked = Omit<PageRequest, 'at'> & { readonly at: string | undefined };

/** The page, and when it was read. */
async function pageOf(board: ToolBoard, { at, ...asked }: Asked, league: string | undefined) {
  return board.withBoardView(async ({ page, view: { readAt } }) => {
    const moment = at === undefined ? null : readMoment(at);
    if (at !== undefined && moment === null) return { kind: 'not_kept' } as const;
    const request = { ...asked, at: moment };
    if (league === undefined) return { ...(await page(request)), readAt };
    const offset = 'offset' in asked.start ? asked.start.offset : 0;
    const found = await board.leagueBoard(league, { ...request, offset });
    if (found !== null) return { ...found, readAt };
    throw new ToolError('There is no such league, or it is private: call again with a token of a member.');
  });
}

function noPageText(none: NoPage, window: Window): string {
  if (none.kind === 'not_kept') {
    return 'There is no kept board of this moment. Kept are every hour of the last day and the first board of each of the last 100 days: GET /boards lists them.';
  }
  if (none.kind === 'operator_unknown') return 'No operator has this codename. List operators without around.';
  return `${notRankedText(none, window)} List operators without around.`;
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
