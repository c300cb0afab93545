import * as z from 'zod';
import { LeaderboardQuery, type Window, windowSentence } from '../../../engine/contract/index.ts';
import { PLATFORMS, type Platform } from '../../../engine/contract/platforms.ts';
import type { LeaguePage } from '../../../engine/ranking/index.ts';
import { fromStorage } from '../../http/problem.ts';
import { leagueBody, leagueUnknown, openLeague } from '../../members/leagues.ts';
import { createLeagueReads } from '../../v1/leagues/get-league-board.ts';
import { BY_SLUG } from '../../v1/leagues/leagues.ts';
import { definePage, type Elsewhere, methodologyOf, type PageContent } from '../page.ts';
import type { Ref } from '../render/addresses.ts';
import { link, m, name, time } from '../render/inline.ts';
import { readable } from '../render/numbers.ts';
import type { SitePage } from '../render/page-text.ts';
import { lede, type Part, prose } from '../render/parts.ts';
import type { SiteContext } from '../site-context.ts';
import { followsBoard, PlaceQuery, pagesOf } from './board-pages.ts';
import { boardTable } from './board-table.ts';
import { windowParts, windowQuery } from './forms.ts';
import { heldParts } from './home.ts';

/** Rows of a page of a league. */
const LIMIT = 100;

const { window: Asked, platform: Tool } = LeaderboardQuery.shape;

type League = Awaited<ReturnType<typeof leagueBody>>;

interface Choice {
  readonly window: Window;
  readonly platform?: Platform | undefined;
  readonly from?: number | undefined;
  readonly view?: 'screen' | undefined;
}

const PAGE = {
  summary: 'The board of a league',
  params: BY_SLUG,
  query: z.object({ window: Asked, platform: Tool, from: PlaceQuery, view: z.literal('screen').optional() }),
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
    return { leadsTo: leagueRef(`site:/league/${slug}`, choice) };
  const { window, platform = null, from = 1 } = choice;
  const asked = { window, platform, limit: LIMIT, offset: from - 1, at: null };
  const [page, shown] = await Promise.all([
    fromStorage(() => createLeagueReads(ctx)(slug, operator, asked)),
    leagueBody(ctx, league, operator),
  ]);
  if (page?.kind !== 'page') throw leagueUnknown();
  return { make: () => pageOf(shown, page, choice) };
}

function pageOf(league: League, page: LeaguePage, choice: Choice): SitePage {
  const { slug, visibility, owner, size } = league;
  const { window, platform, from = 1, view } = choice;
  const { rows, total, boardAt, held } = page;
  const [isPrivate, isPublic] = [visibility === 'private', visibility === 'public'];
  const root: Ref = isPrivate ? `login:/account/leagues/${slug}` : `site:/league/${slug}`;
  const refOf = (other: Choice): Ref => leagueRef(root, other);
  const by = m`by usage ${windowSentence(window)}${platform === undefined ? '' : m` of ${platform} alone`}`;
  const board: Part =
    rows.length === 0
      ? prose(m`No member is ranked ${windowSentence(window)} here${from > 1 ? ' from this place on' : ' yet'}.`)
      : boardTable(`${league.name}, ranked among themselves`, rows, methodologyOf(page).tiers, window, {
          moves: platform === undefined,
        });
  const frame = {
    surface: isPrivate ? 'login' : 'site',
    canonical: refOf({ window, platform, from }),
    indexed: isPublic && from === 1,
    // Scripts read events of their own host alone.
    ...(isPrivate ? {} : followsBoard(page.version, window, platform)),
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
  const tools = [undefined, ...PLATFORMS].map((each, index) => {
    const label = each ?? 'all tools';
    return m`${index === 0 ? '' : ' · '}${each === platform ? m`**${label}**` : link(label, refOf({ window, platform: each }))}`;
  });
  return {
    ...frame,
    above: isPrivate ? m`[Your leagues](login:/account/leagues)` : m`[Board](site:/) / League`,
    parts: [
      lede(
        m`${ofOwner}**${readable(total)}** of **${readable(size)}** ${size === 1 ? 'member' : 'members'} ranked among themselves, ${by}. ${SEEN_BY[visibility]} Updated ${time(boardAt)}.`,
      ),
      ...windowParts(window, (other) => refOf({ window: other, platform })),
      board,
      pagesOf({ from, limit: LIMIT }, total, (place) => refOf({ window, platform, from: place })),
      ...(held === null ? [] : heldParts(held, window)),
      prose(
        m`The rank among all operators is below that in the league; movement is among today’s members.${isPublic ? '' : ' Operators that are not settled yet are ranked here, and marked.'}`,
        m`By the counts of ${tools}.`,
        m`[In large type, for a screen](${refOf({ window, platform, view: 'screen' })}) · [Members, leave, invite${isPublic ? ', report' : ''}](login:/account/league?league=${slug})`,
      ),
    ],
  };
}

const SEEN_BY = {
  public: 'Everybody sees it.',
  unlisted: 'Anybody who has its address sees it.',
  private: 'Only its members see it.',
} as const;

/** A league's page. Default values are left out. */
function leagueRef(root: Ref, { window, platform, from = 1, view }: Choice): Ref {
  const more = { ...(platform && { platform }), ...(from > 1 && { from: `${from}` }), ...(view && { view }) };
  return `${root}${windowQuery(window, new URLSearchParams(more).toString())}`;
}
