import * as z from 'zod';
import { LeaderboardQuery } from '../../../engine/contract/index.ts';
import type { ApiContext } from '../../context/api-context.ts';
import { routesFor } from '../../http/route.ts';
import type { BoardEvents } from './board-events.ts';

const { window, platform } = LeaderboardQuery.shape;

/** The events of a board, for programs and for the pages of the site. OpenAPI has no words for them: a guide describes them. */
function boardEvents(surface: 'base' | 'site', operationId: string) {
  return routesFor<ApiContext & { readonly events: BoardEvents }>()({
    method: 'get',
    surface,
    path: '/events',
    operationId,
    summary: 'Changes of a board',
    description: 'The first hundred rows of a board and their changes, as server-sent events.',
    tag: 'leaderboard',
    auth: 'public',
    query: z.object({ window, platform }),
    selects: true,
    successes: [{ status: 200, description: 'The events.', mediaTypes: ['text/event-stream'] }],
    problems: ['window_invalid', 'platform_unknown'],
    limit: 'events',
    documented: false,
    handle: async ({ query }, { ctx, client, header, koa }) => {
      const followed = { window: query.window, platform: query.platform ?? null };
      const begin = await ctx.events.subscribe(koa.res, client, followed, header('last-event-id'));
      return { kind: 'events', status: 200, begin };
    },
  });
}

export const getEvents = boardEvents('base', 'getEvents');
export const getEventsOnSite = boardEvents('site', 'getEventsOnSite');
