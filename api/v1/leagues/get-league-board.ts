import { DAY_MS } from '../../../config/units.ts';
import { LeaderboardResponse, LeagueBoardQuery } from '../../../engine/contract/index.ts';
import type { LeagueRequest } from '../../../engine/ranking/index.ts';
import { type ApiContext, defineRoute } from '../../context/api-context.ts';
import { fromStorage } from '../../http/problem.ts';
import { leagueUnknown, readerOf } from '../../members/leagues.ts';
import { momentOf, notKept, PAGE_PROBLEMS, responseOf } from '../leaderboard/get-leaderboard.ts';
import { pageLinks } from '../leaderboard/page-links.ts';
import { LEAGUE_READ } from './leagues.ts';

type Asked = Omit<LeagueRequest, 'league' | 'season'> & { readonly season?: string | undefined };

/** Reads boards of leagues, also of a season from a day: null for a league that an operator (null: anybody) may not see, or that there is not. */
export function createLeagueReads({ accounts: { leagues }, board }: Pick<ApiContext, 'accounts' | 'board'>) {
  return async (slug: string, operator: number | null, { season: day, ...asked }: Asked) => {
    const league = await leagues.board(slug, operator);
    if (league === null || day === undefined) return league && board.league({ ...asked, league });
    const season = await leagues.season(league.id, Date.parse(day) / DAY_MS);
    return season === null ? ({ kind: 'not_kept' } as const) : board.league({ ...asked, league, season });
  };
}

export const getLeagueBoard = defineRoute({
  ...LEAGUE_READ,
  path: '/leagues/{slug}/leaderboard',
  operationId: 'getLeagueBoard',
  summary: 'The board of a league',
  description:
    'The members of a league that you may see, ranked among themselves with the methodology of the board: `global_rank` is the rank among all. Held rows are marked and numbered; of a public league they are in `held`, without a number, and not in its seasons. Computed at most once in 10 seconds. Of a season, ranks and Yields stay once it is final; who left, hid its row or was erased is left out.',
  query: LeagueBoardQuery,
  successes: [
    {
      status: 200,
      description: 'The ranked members.',
      schema: LeaderboardResponse,
      headers: { Link: 'Addresses of the first, previous, next and last page (RFC 8288).' },
    },
  ],
  problems: ['league_unknown', 'validation_failed', ...PAGE_PROBLEMS],
  handle: async ({ params: { slug }, query }, { ctx, caller }) => {
    const { window, limit, offset, platform = null, season } = query;
    const asked = { window, limit, offset, platform, season, at: momentOf(ctx, query.at) };
    const page = await fromStorage(() => createLeagueReads(ctx)(slug, readerOf(caller), asked));
    if (page === null) throw leagueUnknown();
    if (page.kind === 'not_kept') throw notKept(ctx);
    const address = `${ctx.config.baseUrl}/leagues/${slug}/leaderboard`;
    const body = {
      generated_at: new Date(ctx.clock()).toISOString(),
      ...responseOf(page, { ...query, operators: undefined }),
      ...(season === undefined ? {} : { window: undefined }),
    };
    return { kind: 'json', status: 200, body, headers: pageLinks(address, query, offset, page.total) };
  },
});
