import * as z from 'zod';
import { LeaderboardQuery } from '../../../engine/contract/index.ts';
import { fromStorage } from '../../http/problem.ts';
import { represent } from '../../http/representation.ts';
import type { CachePolicy, ReadyResult, Route } from '../../http/route.ts';
import { RANKING_CACHE } from '../../http/standard-headers.ts';
import { leagueUnknown, openLeague } from '../../members/leagues.ts';
import { createLeagueReads } from '../../v1/leagues/get-league-board.ts';
import { BY_SLUG } from '../../v1/leagues/leagues.ts';
import { BY_CODENAME, REPEATED_FOR_MS } from '../../v1/operators.ts';
import { boardCard, CARD_ROWS } from '../cards/board-card.ts';
import { isDrawable } from '../cards/font.ts';
import { operatorCard, readCard, readPoints } from '../cards/operator-card.ts';
import { BadgeQuery, badge } from '../charts/badge.ts';
import { THEMES, type Theme } from '../charts/theme.ts';
import { defineRoute, type SiteContext } from '../site-context.ts';
import { FILE_ROUTE, imageResult, PREVIEW, SVG } from './asset-routes.ts';

/** Who was erased has no picture any more; caches in front forget one within 50 minutes, also two that keep it in sequence. */
const PICTURE_CACHE: CachePolicy = { maxAge: 900, sharedMaxAge: 900, staleWhileRevalidate: 600 };

const { window: Asked, platform: Tool, operators: List } = LeaderboardQuery.shape;

const PICTURE = { ...FILE_ROUTE, surface: 'site', selects: true, limit: 'images' } as const;
const PNG_PICTURE = { ...PICTURE, alsoLimit: 'cards', cache: PICTURE_CACHE } as const;
const REPEATED = { forMs: REPEATED_FOR_MS };
const SVG_PICTURE = { ...PICTURE, alsoLimit: 'renders', cache: RANKING_CACHE, fastPath: REPEATED } as const;

const getBadge = defineRoute({
  ...SVG_PICTURE,
  path: '/badge/{codename}.svg',
  operationId: 'getBadge',
  params: BY_CODENAME,
  query: BadgeQuery,
  problems: ['operator_unknown', 'window_invalid', 'validation_failed'],
  handle: async ({ params, query }, { ctx }) => {
    const board = ctx.board.view().version;
    const drawn = badge(await readCard(ctx, params.codename, query.window), query);
    return { ...imageResult(represent(drawn, SVG, true)), board };
  },
});

/** An operator's card: SVG for READMEs, PNG for link previews. */
function cardRoute(form: 'svg' | 'png', operationId: string) {
  return defineRoute({
    ...(form === 'svg' ? SVG_PICTURE : PNG_PICTURE),
    path: `/card/{codename}.${form}`,
    operationId,
    params: BY_CODENAME,
    query: z.object({ window: Asked, platform: Tool, theme: z.enum(THEMES).default('auto') }),
    problems: ['operator_unknown', 'window_invalid', 'platform_unknown', 'validation_failed'],
    handle: async ({ params, query }, { ctx }) => {
      const board = ctx.board.view().version;
      const facts = await readCard(ctx, params.codename, query.window, query.platform);
      if (facts.unranked === 'excluded') return imageResult(PREVIEW);
      const draw = async (theme: Theme) => operatorCard(facts, await readPoints(ctx, facts), theme);
      if (form === 'svg') return { ...imageResult(represent(await draw(query.theme), SVG, true)), board };
      const theme = query.theme === 'light' ? 'light' : 'dark';
      const { codename, display_name: name, window, platform, unranked, provisional = false } = facts;
      return pictureOf(ctx, [codename, name, window, platform, unranked, provisional, theme], () => draw(theme));
    },
  });
}

/** For the pages of boards and of lists. A picture of the same names is not drawn again within the hour. */
const getBoardPicture = defineRoute({
  ...PNG_PICTURE,
  path: '/board.png',
  operationId: 'getBoardPicture',
  query: z.object({ window: Asked, platform: Tool, operators: List.optional() }),
  problems: ['window_invalid', 'platform_unknown', 'operators_invalid'],
  handle: async ({ query: { window, platform = null, operators } }, { ctx }) => {
    const start = operators === undefined ? { offset: 0 } : { operators };
    const page = await fromStorage(() => ctx.board.page({ window, limit: CARD_ROWS, start, at: null, platform }));
    if (page.kind !== 'page' || page.rows.length === 0) return imageResult(PREVIEW);
    const names = page.rows.map(({ codename }) => codename).toSorted();
    return pictureOf(ctx, [window, platform, page.offset, ...names], async () => boardCard(page, window, platform));
  },
});

/** Of a public league alone. Nothing keeps it: the league can become private. */
const getLeaguePicture = defineRoute({
  ...PICTURE,
  alsoLimit: 'cards',
  path: '/card/league/{slug}.png',
  operationId: 'getLeaguePicture',
  params: BY_SLUG,
  query: z.object({ window: Asked }),
  problems: ['league_unknown', 'window_invalid'],
  handle: async ({ params: { slug }, query: { window } }, { ctx }) => {
    const { name, visibility } = await openLeague(ctx, slug, null);
    if (visibility !== 'public') throw leagueUnknown();
    const asked = { window, limit: CARD_ROWS, offset: 0, at: null };
    const page = await fromStorage(() => createLeagueReads(ctx)(slug, null, asked));
    if (page?.kind !== 'page' || page.rows.length === 0) return imageResult(PREVIEW);
    const title = isDrawable(name) ? name : 'A league';
    const asOf = page.rows.map(({ codename }) => codename);
    return pictureOf(ctx, [slug, title, window, ...asOf], async () => boardCard(page, window, null, title));
  },
});

/** A drawn picture; the static one, for this time alone, where none could be drawn. */
async function pictureOf({ pictures }: SiteContext, ...asked: Parameters<typeof pictures.of>): Promise<ReadyResult> {
  const drawn = await pictures.of(...asked);
  const { headers, ...result } = imageResult(drawn ?? PREVIEW);
  return { ...result, headers: { ...headers, ...(drawn === null ? { 'Cache-Control': 'no-store' } : {}) } };
}

export const PICTURE_ROUTES: readonly Route<SiteContext>[] = [
  getBadge,
  cardRoute('svg', 'getCard'),
  cardRoute('png', 'getCardPicture'),
  getLeaguePicture,
  getBoardPicture,
];
