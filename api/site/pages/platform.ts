import * as z from 'zod';
import { LeaderboardQuery } from '../../../engine/contract/index.ts';
import { PLATFORMS } from '../../../engine/contract/platforms.ts';
import { REPEATED_FOR_MS } from '../../v1/operators.ts';
import { BOARD_PAGE_CACHE, definePage } from '../page.ts';
import { DEFAULT_LIMIT, deepPage, PlaceQuery } from './board-pages.ts';

const { window: Asked, limit: Limit } = LeaderboardQuery.shape;

/** The board of one AI tool, in pages. */
export const platformPage = definePage({
  surface: 'site',
  path: '/platform/{platform}',
  operationId: 'getPlatformPage',
  summary: 'The board of an AI tool',
  params: { schema: z.object({ platform: z.enum(PLATFORMS) }), unmatched: 'path_unknown' },
  query: z.object({
    window: Asked,
    limit: Limit.unwrap().default(DEFAULT_LIMIT),
    from: PlaceQuery.unwrap().default(1),
  }),
  problems: ['window_invalid', 'limit_not_an_integer', 'limit_out_of_bounds', 'place_invalid', 'path_unknown'],
  cache: BOARD_PAGE_CACHE,
  fastPath: { forMs: REPEATED_FOR_MS },
  content: ({ params, query }, ctx) => deepPage(ctx, { ...query, ...params }),
});
