import { LeaderboardQuery, LeaderboardResponse } from '../../../engine/contract/index.ts';
import type { ApiContext } from '../../context/api-context.ts';
import { fromStorage } from '../../http/problem.ts';
import { routesFor } from '../../http/route.ts';
import { RANKING_CACHE } from '../../http/standard-headers.ts';
import type { ReadyResponses } from './ready-responses.ts';

/** How long the fast path repeats an answer, in milliseconds, so that `generated_at` is at most a minute old. */
const REPEATED_FOR_MS = 20_000;

/** Contract, part 4.1. */
export const getLeaderboard = routesFor<ApiContext & { readonly leaderboard: ReadyResponses }>()({
  method: 'get',
  surface: 'base',
  path: '/leaderboard',
  operationId: 'getLeaderboard',
  summary: 'Operators ranked by Yield',
  description:
    'The first operators of a window, best first. Equal Yields share a rank. Rows that are not settled yet have no rank: `include=held` adds the highest of them.',
  tag: 'leaderboard',
  auth: 'public',
  query: LeaderboardQuery,
  successes: [{ status: 200, description: 'The ranked operators.', schema: LeaderboardResponse }],
  problems: ['window_invalid', 'limit_not_an_integer', 'limit_out_of_bounds', 'include_invalid'],
  limit: 'public',
  cache: RANKING_CACHE,
  fastPath: { forMs: REPEATED_FOR_MS },
  handle: async ({ query }, { ctx }) => {
    const board = ctx.leaderboard.version();
    const { window, limit, include } = query;
    const body = await fromStorage(() => ctx.leaderboard.answer(window, limit, include === 'held'));
    return { kind: 'ready', status: 200, board, body };
  },
});
