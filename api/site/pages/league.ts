import * as z from 'zod';
import { LeagueBoardQuery, MAX_LEADERBOARD_LIMIT, windowSentence } from '../../../engine/contract/index.ts';
import type { BoardPage } from '../../../engine/ranking/index.ts';
import { fromStorage } from '../../http/problem.ts';
import { leagueBody, leagueUnknown, openLeague, SEEN_BY } from '../../members/leagues.ts';
import { createLeagueReads } from '../../v1/leagues/get-league-board.ts';
import { BY_SLUG } from '../../v1/leagues/leagues.ts';
import { definePage, type Elsewhere, methodologyOf, type PageContent } from '../page.ts';
import type { Ref } from '../render/addresses.ts';
import { link, m, name, time } from '../render/inline.ts';
import { readable } from '../render/numbers.ts';
import type { SitePage } from '../render/page-text.ts';
import { lede, type Part, prose } from '../render/parts.ts';
import type { SiteContext } from '../site-context.ts';
import { type BoardChoice, boardRef, followsBoard, PlaceQuery, pagesPart, platformsPart } from './board-pages.ts';
import { boardTable } from './board-table.ts';
import { windowParts, windowQuery } from './forms.ts';
import { heldParts, NO_HELD } from './home.ts';

const { limit: _limit, offset: _offset, at: _at, ...Asked } = LeagueBoardQuery.shape;

type League = Awaited<ReturnType<typeof leagueBody>>;

type Choice = Omit<BoardChoice, 'limit' | 'league' | 'at'>;

const PAGE = {
  summary: 'The board of a league',
  params: BY_SLUG,
  query: z.object({ ...Asked, from: PlaceQuery, view: z.literal('screen').optional() }),
  problems: ['league_unknown', 'window_invalid', 'platform_unknown', 'place_invalid', 'validation_failed'],
} as const;

/** The board of a league that everybody, or anybody with its address, sees. Nothing keeps it: the league can become private. */
export const leaguePage = definePage({
  ...PAGE,
  surface: 'site',
  path: '/league/{slug}',
  operationId: 'getLeaguePage',
  content: async ({ params: { slug }, query }, ctx) => contentOf(ctx, slug, null, query, 'site'),
});

/** The board of a private league, for its members where they signed in: only this host has the session. Others read what an unknown league has. */
export const privateLeaguePage = definePage({
  ...PAGE,
  surface: 'login',
  path: '/account/leagues/{slug}',
  operationId: 'getPrivateLeaguePage',
  unindexed: true,
  bySession: true,
  content: async ({ params: { slug }, query }, ctx, operator) => contentOf(ctx, slug, operator, query, 'login'),
});

async function contentOf(
  ctx: SiteContext,
  slug: string,
  operator: number | null,
  choice: Choice,
  here: 'site' | 'login',
): Promise<PageContent | Elsewhere> {
  const league = await openLeague(ctx, slug, operator);
  if (here === 'login' && league.visibility !== 'private')
    return { leadsTo: boardRef({ ...choice, limit: MAX_LEADERBOARD_LIMIT, league: `site:/league/${slug}` }) };
  const { window, platform = null, from = 1, season } = choice;
  const asked = { window, platform, limit: MAX_LEADERBOARD_LIMIT, offset: from - 1, at: null, season };
  const [page, shown] = await Promise.all([
    fromStorage(() => createLeagueReads(ctx)(slug, operator, asked)),
    leagueBody(ctx, league, operator),
  ]);
  if (page?.kind !== 'page') throw leagueUnknown();
  // Scripts read events of their own host alone.
  const isLive = season === undefined && (here === 'site' || ctx.config.siteUrl === ctx.config.loginUrl);
  return { make: () => pageOf(shown, page, choice, isLive) };
}

function pageOf(league: League, page: BoardPage, choice: Choice, isLive: boolean): SitePage {
  const { slug, visibility, owner, size } = league;
  const { window, platform, from = 1, view, season } = choice;
  const { rows, total, boardAt, held = NO_HELD } = page;
  const [isPrivate, isPublic] = [visibility === 'private', visibility === 'public'];
  const root: Ref = isPrivate ? `login:/account/leagues/${slug}` : `site:/league/${slug}`;
  const refOf = (other: Choice): Ref => boardRef({ ...other, limit: MAX_LEADERBOARD_LIMIT, league: root });
  const { by: ofSeason, list } = seasonsOf(league, choice, refOf);
  const usage = m`by usage ${windowSentence(window)}${platform === undefined ? '' : m` of ${platform} alone`}`;
  const by = ofSeason ?? usage;
  const board: Part =
    rows.length === 0
      ? prose(m`No member is ranked ${windowSentence(window)} here${from > 1 ? ' from this place on' : ' yet'}.`)
      : boardTable(`${league.name}, ranked among themselves`, rows, methodologyOf(page).tiers, window, {
          moves: platform === undefined && season === undefined,
        });
  const frame = {
    surface: isPrivate ? 'login' : 'site',
    canonical: refOf({ window, platform, from, season }),
    indexed: isPublic && from === 1,
    ...(isPublic ? { card: `site:/card/league/${slug}.png${windowQuery(window)}` as const } : {}),
    ...(isLive ? followsBoard(page.version, window, platform) : {}),
    area: 'Board',
    width: 'tables',
    title: league.name,
    heading: name(league.name),
    description: `The members of a league of the Upsilon leaderboard, ranked among themselves ${windowSentence(window)}.`,
  } as const;
  if (view === 'screen') {
    return { ...frame, screen: true, parts: [board, prose(m`Ranked ${by}. Updated ${time(boardAt)}.`)] };
  }
  const ofOwner = owner === null ? m`` : m`A league of ${link(owner, `site:/operators/${owner}`)}. `;
  return {
    ...frame,
    above: isPrivate ? m`[Your leagues](login:/account/leagues)` : m`[Board](site:/) / League`,
    parts: [
      lede(
        m`${ofOwner}**${readable(total)}** of **${readable(size)}** ${size === 1 ? 'member' : 'members'} ranked among themselves, ${by}. Seen by ${SEEN_BY[visibility]}. Updated ${time(boardAt)}.`,
      ),
      ...(ofSeason === undefined ? windowParts(window, (other) => refOf({ window: other, platform })) : []),
      board,
      ...heldParts(held, window),
      pagesPart({ window, platform, season, from, limit: MAX_LEADERBOARD_LIMIT, league: root }, total),
      prose(
        ...(ofSeason === undefined
          ? [m`The rank among all operators is below that in the league; movement is among today’s members.`]
          : []),
        ...(isPublic
          ? []
          : [
              m`Operators that are not settled yet are ranked here, and marked; hidden ones have no rank among all (–).`,
            ]),
        ...list,
        m`[In large type, for a screen](${refOf({ window, platform, season, view: 'screen' })}) · [Members, leave, invite${isPublic ? ', report' : ''}](login:/account/league?league=${slug})`,
      ),
      platformsPart({ window, platform, league: root }),
    ],
  };
}

/** The season that is shown in place of a window, and a list of all. */
function seasonsOf({ seasons }: League, { season, window }: Choice, refOf: (choice: Choice) => Ref) {
  const shown = seasons.find((each) => each.from === season);
  const links = seasons.map(({ from, until, final }, index) => {
    const label = `${from} to ${until}${final ? ', final' : ''}`;
    return m`${index === 0 ? '' : ' · '}${link(label, refOf({ window, season: from }))}`;
  });
  const by = shown && m`by what arrived from ${shown.from} to ${shown.until}${shown.final ? '' : ', so far'}`;
  return {
    by,
    list: links.length === 0 ? [] : [m`Seasons, by what arrives on their days (UTC), without imports: ${links}.`],
  };
}
