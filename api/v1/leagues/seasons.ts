import { LeagueSeasons, Season, SeasonRequest, SeasonsQuery } from '../../../engine/contract/index.ts';
import { defineRoute } from '../../context/api-context.ts';
import { fromStorage } from '../../http/problem.ts';
import { leagueUnknown, makeSeason, openLeague, readerOf, seasonBody, seasonFrom } from '../../members/leagues.ts';
import { createLeagueReads } from './get-league-board.ts';
import { LEAGUE_READ, OF_LEAGUE } from './leagues.ts';

export const createSeason = defineRoute({
  ...OF_LEAGUE,
  method: 'post',
  path: '/leagues/{slug}/seasons',
  operationId: 'createSeason',
  summary: 'Make a season of a league',
  description:
    'Ranks the members of a league that you own by the growth that arrives on 7 to 40 days after today. It takes the place of a season that has not begun; one that has begun must be final first.',
  body: { schema: SeasonRequest, required: true },
  successes: [{ status: 201, description: 'The season.', schema: Season }],
  problems: ['league_unknown', 'league_owner_only', 'season_invalid'],
  handle: async ({ params: { slug }, body }, { ctx, caller: { operator } }) => {
    return { kind: 'json', status: 201, body: seasonBody(await makeSeason(ctx, operator, slug, body)) };
  },
});

export const listSeasons = defineRoute({
  ...LEAGUE_READ,
  path: '/leagues/{slug}/seasons',
  operationId: 'listSeasons',
  summary: 'The seasons of a league, and the board of one',
  description:
    'The members of today, ranked by growth that arrived on the days of the season and is dated at most 48 hours earlier: nothing imported counts. Once final, ranks and Yields stay; who left, hid its row or was erased is left out. Rows that are not settled are numbered as on the board of the league.',
  query: SeasonsQuery,
  successes: [{ status: 200, description: 'The seasons.', schema: LeagueSeasons }],
  problems: ['league_unknown', 'season_unknown', 'limit_not_an_integer', 'limit_out_of_bounds', 'offset_invalid'],
  handle: async ({ params: { slug }, query: { limit, offset, from } }, { ctx, caller }) => {
    const operator = readerOf(caller);
    const league = await openLeague(ctx, slug, operator);
    const seasons = await fromStorage(() => ctx.accounts.leagues.seasonsOf(league));
    const season = seasonFrom(ctx, seasons, from);
    if (season === null) return { kind: 'json', status: 200, body: { seasons: seasons.map(seasonBody), season } };
    const asked = { window: 'all_time', limit, offset, at: null, season } as const;
    const page = await fromStorage(() => createLeagueReads(ctx)(slug, operator, asked));
    if (page?.kind !== 'page') throw leagueUnknown();
    const { methodology, total: total_operators, rows: entries } = page;
    const board = { ...seasonBody(season), methodology, total_operators, entries };
    return { kind: 'json', status: 200, body: { seasons: seasons.map(seasonBody), season: board } };
  },
});
