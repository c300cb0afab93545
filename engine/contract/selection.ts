import { OperatorSearchQuery, StandingQuery } from './schemas/boards.ts';
import { LeaderboardQuery } from './schemas/leaderboard.ts';

/** Names of parameters that choose what a board shows: on other boards, with what to use here. */
const ELSEWHERE = {
  page: 'Use offset and limit with GET /leaderboard.',
  cursor: 'Use offset and limit with GET /leaderboard, or follow its Link header.',
  sort: 'Boards are ordered by Yield: leave it out.',
  order: 'Boards are ordered by Yield, best first: leave it out.',
  metric: 'Boards are ordered by Yield: leave it out.',
  class: 'GET /standing says where a tier begins: next_tier.',
  class_tier: 'GET /standing says where a tier begins: next_tier.',
  board_version: 'Use at with GET /leaderboard: GET /boards lists what is kept.',
  search: 'Use GET /operators?prefix=.',
  q: 'Use GET /operators?prefix=.',
} as const;

/** Those that some operation here takes, of the site's pages the last ones. */
const HERE = [LeaderboardQuery, StandingQuery, OperatorSearchQuery]
  .flatMap((query) => Object.keys(query.shape))
  .concat('from', 'tier', 'percentile', 'view');

/**
 * What to use instead of a parameter that chooses what is shown, by its name, on operations that do not take it: an answer without
 * regard to it would be one to another question.
 */
export const SELECTION_HINTS: ReadonlyMap<string, string> = new Map([
  ...HERE.map((name) => [name, 'Leave it out: nothing is chosen by it here.'] as const),
  ...Object.entries(ELSEWHERE),
]);
