import { LeaderboardQuery, LeaderboardResponse } from '../../../engine/contract/index.ts';
import type { ApiContext } from '../../context/api-context.ts';
import { routesFor } from '../../http/route.ts';
import { RANKING_CACHE } from '../../http/standard-headers.ts';
import type { ReadyResponses } from './ready-responses.ts';

/** Contract, part 4.1. */
export const getLeaderboard = routesFor<ApiContext & { readonly leaderboard: ReadyResponses }>()({
  method: 'get',
  surface: 'base',
  path: '/leaderboard',
  operationId: 'getLeaderboard',
  summary: 'Operators ranked by Yield',
  description: 'The first operators of a window, best first. Equal Yields share a rank.',
  tag: 'leaderboard',
  auth: 'public',
  query: LeaderboardQuery,
  successes: [{ status: 200, description: 'The ranked operators.', schema: LeaderboardResponse }],
  problems: ['window_invalid', 'limit_not_an_integer', 'limit_out_of_bounds'],
  limit: 'public',
  cache: RANKING_CACHE,
  fastPath: { forMs: Number.POSITIVE_INFINITY },
  handle: ({ query }, { ctx }) => ({
    kind: 'ready',
    status: 200,
    board: ctx.leaderboard.version(),
    body: ctx.leaderboard.answer(query.window, query.limit),
  }),
});
