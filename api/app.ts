import type { IncomingMessage, ServerResponse } from 'node:http';
import Koa from 'koa';
import { singleFlight } from '../config/single-flight.ts';
import type { Profile } from '../engine/ranking/index.ts';
import { createThrottledLog } from '../ops/runtime/telemetry/index.ts';
import { createAuthenticator } from './auth/authenticator.ts';
import type { ApiContext } from './context/api-context.ts';
import { createClientKey } from './http/client-key.ts';
import { createHosts } from './http/hosts.ts';
import type { HttpContext } from './http/http-context.ts';
import { createRateLimiter } from './http/rate-limit/rate-limiter.ts';
import { RATE_POLICIES } from './http/rate-limit/rate-policy.ts';
import { shareCounts } from './http/rate-limit/share-counts.ts';
import { representJson } from './http/representation.ts';
import { createResponseCache } from './http/response-cache.ts';
import type { Route } from './http/route.ts';
import { serveRoutes } from './http/serve-routes.ts';
import { serveMcp } from './mcp/serve-mcp.ts';
import { describeApi } from './openapi/describe.ts';
import { createPremium } from './premium/create-premium.ts';
import { ROUTES, servedRoutes } from './routes.ts';
import { createSiteMaps, mappedBoard } from './site/agents/site-maps.ts';
import { createPictures } from './site/cards/pictures.ts';
import { createProblemPages } from './site/problem-pages.ts';
import { createPreparedPages } from './site/site-context.ts';
import { createTool } from './tool.ts';
import { createBoardEvents } from './v1/events/board-events.ts';
import { createResponseMoments } from './v1/leaderboard/response-moments.ts';
import { createLeagueReads } from './v1/leagues/get-league-board.ts';
import { createBatchWriter } from './v1/snapshots/batch-writer.ts';
import { createVerdictWaits } from './v1/snapshots/verdict-waits.ts';

/** The context with the parts that single surfaces and the HTTP layer add to it. */
export type ServedContext = ReturnType<typeof createServedContext>;

/** The api as one process serves it. */
export type Api = Readonly<ReturnType<typeof createApp>>;

/** Builds the api on its context. Opens no connections and does not listen. `identity`: the routes of sign-in. */
export function createApp(base: ApiContext, identity: readonly Route<HttpContext>[] = []) {
  const ctx = createServedContext(base);
  const { config, clock, log, redis, limiter } = ctx;
  const onError = (error: unknown): void => log.warn({ err: error }, 'rate counts could not be shared');
  const sharing = shareCounts({ windows: limiter.windows, redis, clock, prefix: config.redisPrefix, onError });
  const koa = new Koa();
  koa.silent = true;
  const logThrottled = createThrottledLog(log);
  koa.on('error', (error: unknown, context?: Koa.Context) => {
    // The server counts aborted requests. An error of a store can have the same code, and is logged.
    if (!isAborted(error) || context?.req.socket.destroyed !== true) logThrottled(error);
  });
  const { board } = base;
  const sellsReports = config.premium !== null;
  const leagueBoard = createLeagueReads(base);
  const mcp = serveMcp({ addresses: config, board, logger: log, clock, leagueBoard, sellsReports });
  const fastPath = createResponseCache(ctx, ROUTES);
  serveRoutes<ServedContext>(koa, [...servedRoutes(config), mcp.route, ...identity], ctx, fastPath.keep);
  const handle = koa.callback();
  return {
    listener(this: void, request: IncomingMessage, response: ServerResponse): void {
      if (!fastPath.serve(request, response)) void handle(request, response);
    },
    /** Handles a request without the response cache. */
    handle,
    ctx,
    /** The response cache. */
    fastPath,
    /** Answers waiting submissions now, and ends event streams. */
    releaseWaiters(): void {
      ctx.verdicts.close();
      ctx.events.close();
    },
    /** Writes accepted submissions and refuses later ones. Call after `releaseWaiters`, when no new requests arrive. */
    async drain(): Promise<void> {
      ctx.verdicts.close();
      await Promise.all([ctx.batches.drain(), mcp.close()]);
    },
    /** Ends the background tasks. Does not close the stores. */
    async close(): Promise<void> {
      await Promise.all([sharing.stop(), ctx.pictures.close()]);
    },
  };
}

function createServedContext(ctx: ApiContext) {
  const { config, clock, board } = ctx;
  const joinProfiles = singleFlight<Profile | null>();
  return {
    ...ctx,
    limiter: createRateLimiter(config.rates ?? RATE_POLICIES, clock),
    authenticator: createAuthenticator(ctx),
    clientKey: createClientKey(config.trustedProxies),
    hosts: createHosts(config),
    problemPages: createProblemPages(config),
    // Concurrent requests for the same profile of the same board version share one read.
    board: {
      ...board,
      profile: (codename: string) => joinProfiles(() => board.profile(codename), `${board.view().version} ${codename}`),
    },
    momentOfResponses: createResponseMoments({ board, countListed: () => ctx.ranking.operators.countListed(), clock }),
    events: createBoardEvents({
      board,
      onUnread: () => ctx.metrics.http.connectionClosed('unread'),
      onCount: ctx.metrics.http.subscriptionsOpen,
      onError: createThrottledLog(ctx.log),
      bounds: config.eventBounds,
    }),
    batches: createBatchWriter(ctx),
    verdicts: createVerdictWaits(ctx.queue.waitForBatch, (error) =>
      ctx.log.warn({ err: error }, 'waiting for a verdict failed'),
    ),
    premium: createPremium(ctx, ROUTES),
    description: representJson(describeApi(ROUTES, config), true),
    pages: createPreparedPages(),
    pictures: createPictures(ctx),
    tool: createTool(config),
    siteMaps: createSiteMaps(mappedBoard(board), config, clock),
  };
}

/** Codes of the errors by which Node and the body reader report a client that went away. */
const ABORTED: ReadonlySet<unknown> = new Set(['ECONNRESET', 'ECONNABORTED', 'EPIPE', 'ERR_STREAM_PREMATURE_CLOSE']);

/** Whether an error of reading a request or sending its response only means that the client went away. */
function isAborted(error: unknown): boolean {
  return error instanceof Error && 'code' in error && ABORTED.has(error.code);
}
