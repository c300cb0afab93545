import { LeaderboardQuery, LeaderboardResponse } from '../../../engine/contract/index.ts';
import { defineRoute } from '../../services.ts';
import { RANKING_CACHE } from '../cache-policies.ts';

/** Contract, part 4.1. */
export const getLeaderboard = defineRoute({
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
  documented: true,
  handle: ({ query }, { services }) => ({
    kind: 'ready',
    status: 200,
    board: services.leaderboard.version(),
    body: services.leaderboard.answer(query.window, query.limit),
  }),
});
