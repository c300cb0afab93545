import {
  BoardList,
  OperatorSearch,
  OperatorSearchQuery,
  Standing,
  StandingQuery,
} from '../../engine/contract/index.ts';
import { defineRoute } from '../context/api-context.ts';
import { fromStorage, Problem } from '../http/problem.ts';
import { representJson } from '../http/representation.ts';
import { BOARD_READ } from '../http/standard-headers.ts';

/** How long the list of kept boards is repeated, in milliseconds: a new hour is a new version. */
const REPEATED_FOR_MS = 20_000;

export const listBoards = defineRoute({
  ...BOARD_READ,
  path: '/boards',
  operationId: 'listBoards',
  summary: 'The kept boards',
  description:
    'The moments that `at` can name: every hour of the last day, and the first board of each of the last 100 days.',
  tag: 'leaderboard',
  successes: [{ status: 200, description: 'The kept boards, oldest first.', schema: BoardList }],
  fastPath: { forMs: REPEATED_FOR_MS },
  handle: async (_, { ctx }) => {
    const { kept, board } = await fromStorage(() =>
      ctx.board.withBoardView(async ({ keptBoards, view }) => ({ kept: keptBoards(), board: view.version })),
    );
    const boards = kept.map(({ at, methodology }) => ({ at: new Date(at).toISOString(), methodology }));
    return { kind: 'ready', status: 200, board, body: representJson({ board_version: board, boards }, true) };
  },
});

export const getStanding = defineRoute({
  ...BOARD_READ,
  path: '/standing',
  operationId: 'getStanding',
  summary: 'Where a Yield stands',
  description:
    'The place that a Yield would have on the newest board, of all operators or of one AI platform, what it needs there, and the next place and tier: for goals and what-ifs.',
  tag: 'leaderboard',
  query: StandingQuery,
  successes: [{ status: 200, description: 'The place of the Yield.', schema: Standing }],
  problems: ['window_invalid', 'yield_invalid', 'platform_unknown', 'operator_unknown'],
  handle: async ({ query }, { ctx }) => {
    const { window, yield: yield_, without = null, platform = null } = query;
    const standing = await fromStorage(() => ctx.board.standing({ window, yield_, without, platform }));
    if (standing === null) throw new Problem('operator_unknown', { detail: 'No operator has this codename.' });
    const { days, acceptance } = standing.needs;
    const needs = [
      ...(days > 0 ? [{ of: 'vouching_days' as const, needs: days }] : []),
      ...(acceptance ? [{ of: 'acceptance' as const, needs: 1 }] : []),
    ];
    const board_at = new Date(standing.boardAt).toISOString();
    const body = Standing.parse({ window, platform, yield_, ...standing, board_at, needs });
    return { kind: 'ready', status: 200, body: representJson(body, false) };
  },
});

/** Codenames that a search offers. */
const MAX_FOUND = 10;

/** The search of codenames, for the API and for the pages of the site. */
function operatorSearch(surface: 'base' | 'site', operationId: string) {
  return defineRoute({
    ...BOARD_READ,
    surface,
    path: surface === 'base' ? '/operators' : '/operators.json',
    operationId,
    summary: 'Codenames by their beginning',
    description: 'Listed codenames that begin with a text, in order, at most ten.',
    tag: 'operators',
    query: OperatorSearchQuery,
    successes: [{ status: 200, description: 'The codenames.', schema: OperatorSearch }],
    problems: ['prefix_invalid'],
    limit: 'searches',
    ...(surface === 'site' ? { documented: false } : {}),
    handle: async ({ query }, { ctx }) => {
      const codenames = await fromStorage(() =>
        ctx.board.withBoardView((board) => board.codenamesFrom(query.prefix, MAX_FOUND)),
      );
      return { kind: 'ready', status: 200, body: representJson(OperatorSearch.parse({ codenames }), false) };
    },
  });
}

export const searchOperators = operatorSearch('base', 'searchOperators');
export const searchOperatorsOnSite = operatorSearch('site', 'searchOperatorsOnSite');
