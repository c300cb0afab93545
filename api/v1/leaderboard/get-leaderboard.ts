import type * as z from 'zod';
import {
  LeaderboardQuery,
  LeaderboardResponse,
  MAX_LEADERBOARD_LIMIT,
  readMoment,
  unrankedText,
  windowSentence,
} from '../../../engine/contract/index.ts';
import type { BoardPage, PageRequest, PageStart, UnrankedOperator } from '../../../engine/ranking/index.ts';
import { METHODOLOGIES } from '../../../engine/ranking/methodologies/index.ts';
import type { ApiContext } from '../../context/api-context.ts';
import { fromStorage, Problem } from '../../http/problem.ts';
import { representJson } from '../../http/representation.ts';
import { type ReadyResult, routesFor } from '../../http/route.ts';
import { BOARD_READ } from '../../http/standard-headers.ts';
import { pageLinks } from './page-links.ts';
import type { createResponseMoments } from './response-moments.ts';

/** How long the fast path repeats an answer, in milliseconds, so that `generated_at` is at most a minute old. */
const REPEATED_FOR_MS = 20_000;

/** Of requests for a page of a board. */
export const PAGE_PROBLEMS = [
  'window_invalid',
  'limit_not_an_integer',
  'limit_out_of_bounds',
  'offset_invalid',
  'parameters_conflict',
  'platform_unknown',
  'platform_not_kept',
  'board_not_kept',
] as const;

/** Contract, part 4.1. */
export const getLeaderboard = routesFor<
  ApiContext & { readonly momentOfResponses: ReturnType<typeof createResponseMoments> }
>()({
  ...BOARD_READ,
  path: '/leaderboard',
  operationId: 'getLeaderboard',
  summary: 'Operators ranked by Yield',
  description:
    'Operators of a window, best first: a page anywhere on the board, now or at a kept hour, the board of one AI platform, or some operators among themselves. Equal Yields share a rank. Rows that are not settled yet have no rank: `include=held` adds the highest of them.',
  tag: 'leaderboard',
  query: LeaderboardQuery,
  successes: [
    {
      status: 200,
      description: 'The ranked operators.',
      schema: LeaderboardResponse,
      headers: { Link: 'Addresses of the first, previous, next and last page (RFC 8288).' },
    },
  ],
  problems: [...PAGE_PROBLEMS, 'include_invalid', 'operators_invalid', 'operator_unranked', 'operator_unknown'],
  fastPath: { forMs: REPEATED_FOR_MS },
  async handle({ query }, { ctx }): Promise<ReadyResult> {
    const { window, include } = query;
    const board = ctx.board.view().version;
    const page = await readPage(ctx, { ...query, start: startOf(query) });
    const held = include === undefined ? null : await fromStorage(() => ctx.board.held(window, MAX_LEADERBOARD_LIMIT));
    const address = `${ctx.config.baseUrl}/leaderboard`;
    const headers = page.offset === null ? {} : pageLinks(address, query, page.offset, page.total);
    const response = LeaderboardResponse.parse({
      ...(await ctx.momentOfResponses()),
      ...responseOf(held === null ? page : { ...page, held }, query),
    });
    return { kind: 'ready', status: 200, board, body: representJson(response, true), headers };
  },
});

type Query = z.output<typeof LeaderboardQuery>;

function startOf({ offset = 0, around, operators }: Query): PageStart {
  if (operators !== undefined) return { operators };
  return around === undefined ? { offset } : { around };
}

/** A page of a board. @throws Problem board_not_kept, operator_unknown, operator_unranked. */
export async function readPage(
  ctx: Pick<ApiContext, 'config' | 'board'>,
  {
    window,
    limit,
    start,
    at,
    platform,
  }: Pick<PageRequest, 'window' | 'limit' | 'start'> & Pick<Query, 'at' | 'platform'>,
): Promise<BoardPage> {
  const request = { window, limit, start, at: momentOf(ctx, at), platform: platform ?? null };
  const page = await fromStorage(() => ctx.board.page(request));
  if (page.kind === 'page') return page;
  if (page.kind === 'not_kept') throw notKept(ctx);
  if (page.kind === 'operator_unknown')
    throw new Problem('operator_unknown', { detail: 'No operator has this codename.' });
  throw new Problem('operator_unranked', { detail: notRankedText(page, window) });
}

/** The moment of a kept board, null without one. @throws Problem board_not_kept. */
export function momentOf(ctx: Pick<ApiContext, 'config'>, at: string | undefined): PageRequest['at'] {
  if (at === undefined) return null;
  const moment = readMoment(at);
  if (moment === null) throw notKept(ctx);
  return moment;
}

/** The problem of a board that was asked for and is not kept, with the address of the list. */
export function notKept({ config }: Pick<ApiContext, 'config'>): Problem {
  return new Problem('board_not_kept', {
    detail: 'There is no kept board of this moment.',
    links: { boards: `${config.baseUrl}/boards` },
  });
}

/** Why an operator is not on the board that was asked for. */
export function notRankedText({ codename, reason, platform }: UnrankedOperator, window: Query['window']): string {
  const by = platform === null ? '' : ` by its counts of ${platform}`;
  const why = reason === null ? 'it was not ranked when this board was made' : unrankedText(reason);
  return `${codename} is not ranked ${windowSentence(window)}${by}: ${why}.`;
}

/** What a response says of a page and of its request. */
export function responseOf(
  page: BoardPage,
  { window, limit, operators, at, platform }: Pick<Query, 'window' | 'limit' | 'operators' | 'at' | 'platform'>,
) {
  const methodology = METHODOLOGIES.get(page.methodology);
  return {
    board_at: new Date(page.boardAt).toISOString(),
    ...(page.version === null ? { listed_operators: undefined } : { board_version: page.version }),
    methodology: page.methodology,
    total_operators: page.total,
    floors: methodology && { ...methodology.eligibility, minimum_witnessed_days: methodology.minimum_witnessed_days },
    ...page.movementSince,
    window,
    limit: operators === undefined ? limit : null,
    offset: page.offset,
    platform: platform ?? null,
    at: at === undefined ? null : new Date(page.boardAt).toISOString(),
    ...(operators === undefined ? {} : { not_found: page.notFound, unranked: page.unranked }),
    ...(page.held === undefined ? {} : { held_operators: page.held.total, held: page.held.rows }),
    entries: page.rows,
  };
}
