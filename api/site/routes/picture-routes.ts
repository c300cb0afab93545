import * as z from 'zod';
import { LeaderboardQuery } from '../../../engine/contract/index.ts';
import { fromStorage, Problem } from '../../http/problem.ts';
import { type Representation, represent } from '../../http/representation.ts';
import type { CachePolicy, ReadyResult, Route } from '../../http/route.ts';
import { RANKING_CACHE } from '../../http/standard-headers.ts';
import { BY_CODENAME, REPEATED_FOR_MS } from '../../v1/operators.ts';
import { boardCard, CARD_ROWS } from '../cards/board-card.ts';
import { staticCard } from '../cards/card-parts.ts';
import { operatorCard } from '../cards/operator-card.ts';
import { readBoardCard, readCard, readPoints } from '../cards/read-card.ts';
import { BadgeQuery, badge } from '../charts/badge.ts';
import { THEMES } from '../charts/theme.ts';
import { defineRoute, type SiteContext } from '../site-context.ts';
import { FILE_ROUTE, imageResult, PREVIEW, SVG } from './asset-routes.ts';

/** With the hour that a picture of a name is kept for no longer than it exists, caches in front end within an hour of an erasure. */
const PICTURE_CACHE: CachePolicy = { maxAge: 900, sharedMaxAge: 900, staleWhileRevalidate: 600 };

const { window: Asked, platform: Tool, operators: List } = LeaderboardQuery.shape;

const CardQuery = z.object({ window: Asked, platform: Tool, theme: z.enum(THEMES).default('auto') });

const PICTURE = { ...FILE_ROUTE, surface: 'site', selects: true, limit: 'images' } as const;

const SVG_PICTURE = {
  ...PICTURE,
  params: BY_CODENAME,
  alsoLimit: 'renders',
  cache: RANKING_CACHE,
  fastPath: { forMs: REPEATED_FOR_MS },
} as const;

const getBadge = defineRoute({
  ...SVG_PICTURE,
  path: '/badge/{codename}.svg',
  operationId: 'getBadge',
  summary: "An operator's badge",
  query: BadgeQuery,
  successes: [{ status: 200, description: 'The badge.', mediaTypes: ['image/svg+xml'] }],
  problems: ['operator_unknown', 'window_invalid', 'validation_failed'],
  handle: async ({ params, query }, { ctx }) => {
    const board = ctx.board.view().version;
    const profile = await fromStorage(() => ctx.board.profile(params.codename));
    if (profile === null) throw new Problem('operator_unknown', { detail: 'No operator has this codename.' });
    const drawn = badge({ ...profile, ...profile.windows[query.window] }, query);
    return { ...imageResult(represent(drawn, SVG, true)), board };
  },
});

const CARD_PROBLEMS = ['operator_unknown', 'window_invalid', 'platform_unknown', 'validation_failed'] as const;

const getCard = defineRoute({
  ...SVG_PICTURE,
  path: '/card/{codename}.svg',
  operationId: 'getCard',
  summary: "An operator's card",
  query: CardQuery,
  successes: [{ status: 200, description: 'The card.', mediaTypes: ['image/svg+xml'] }],
  problems: CARD_PROBLEMS,
  handle: async ({ params, query }, { ctx }) => {
    const board = ctx.board.view().version;
    const facts = await readCard(ctx, params.codename, query);
    const drawn =
      facts.unranked === 'excluded'
        ? staticCard(query.theme)
        : operatorCard(facts, await readPoints(ctx, facts), query.theme);
    return { ...imageResult(represent(drawn, SVG, true)), board };
  },
});

const PNG_PICTURE = {
  ...PICTURE,
  alsoLimit: 'cards',
  cache: PICTURE_CACHE,
  successes: [{ status: 200, description: 'The card.', mediaTypes: ['image/png'] }],
} as const;

const getCardPicture = defineRoute({
  ...PNG_PICTURE,
  path: '/card/{codename}.png',
  operationId: 'getCardPicture',
  summary: "An operator's card, for link previews",
  params: BY_CODENAME,
  query: CardQuery,
  problems: CARD_PROBLEMS,
  handle: async ({ params, query }, { ctx }) => {
    const facts = await readCard(ctx, params.codename, query);
    if (facts.unranked === 'excluded') return imageResult(PREVIEW);
    const { codename, display_name, window, platform, unranked, provisional } = facts;
    const theme = query.theme === 'light' ? 'light' : 'dark';
    const key = [codename, display_name, window, platform, unranked, provisional, theme];
    const drawn = await ctx.pictures.of(JSON.stringify(key), async () =>
      operatorCard(facts, await readPoints(ctx, facts), theme),
    );
    return pictureResult(drawn);
  },
});

const getBoardPicture = defineRoute({
  ...PNG_PICTURE,
  path: '/board.png',
  operationId: 'getBoardPicture',
  summary: "The card of a board, of an AI tool's or of a list, for link previews",
  query: z.object({ window: Asked, platform: Tool, operators: List.optional() }),
  problems: ['window_invalid', 'platform_unknown', 'operators_invalid'],
  handle: async ({ query }, { ctx }) => {
    const board = await readBoardCard(ctx, query, CARD_ROWS);
    const { rows, window, platform, isList } = board;
    if (rows.length === 0) return imageResult(PREVIEW);
    const names = rows.map(({ codename }) => codename).toSorted();
    const key = JSON.stringify([window, platform, isList, ...names]);
    return pictureResult(await ctx.pictures.of(key, async () => boardCard(board, 'dark')));
  },
});

/** A drawn picture; the static one, for this time alone, where none could be drawn. */
function pictureResult(drawn: Representation | null): ReadyResult {
  if (drawn !== null) return imageResult(drawn);
  const { headers, ...result } = imageResult(PREVIEW);
  return { ...result, headers: { ...headers, 'Cache-Control': 'no-store' } };
}

export const PICTURE_ROUTES: readonly Route<SiteContext>[] = [getBadge, getCard, getCardPicture, getBoardPicture];
