import type { IncomingMessage, ServerResponse } from 'node:http';
import Koa from 'koa';
import { singleFlight } from '../config/single-flight.ts';
import { MS_PER_SECOND } from '../config/units.ts';
import type { Profile } from '../engine/ranking/index.ts';
import { createThrottledLog } from '../ops/runtime/telemetry/index.ts';
import { createAuthenticator } from './auth/authenticator.ts';
import type { ApiContext } from './context/api-context.ts';
import { rememberBriefly } from './health/probes.ts';
import { createClientKey } from './http/client-key.ts';
import { createFairTurns } from './http/fair-turns.ts';
import { readCacheHeaders, readHeaders } from './http/fast-path/cache-headers.ts';
import { createJsonFastPath } from './http/fast-path/json-fast-path.ts';
import { createRefusals, type Mount } from './http/fast-path/refusals.ts';
import { createResponseCache } from './http/fast-path/response-cache.ts';
import { createHosts } from './http/hosts.ts';
import type { HttpContext } from './http/http-context.ts';
import { ANSWERED_BY, serveErrors, serveRoutes } from './http/koa-adapter.ts';
import { createRateLimiter } from './http/rate-limit/rate-limiter.ts';
import { RATE_POLICIES } from './http/rate-limit/rate-policy.ts';
import { shareCounts } from './http/rate-limit/share-counts.ts';
import { representJson } from './http/representation.ts';
import { createRouteTable } from './http/route-table.ts';
import type { RequestTarget } from './http/unmatched.ts';
import { serveMcp } from './mcp/serve-mcp.ts';
import { describeApi } from './openapi/describe.ts';
import { createPremium } from './premium/create-premium.ts';
import { ROUTES, servedRoutes } from './routes.ts';
import { createSiteMaps, mappedBoard } from './site/agents/site-maps.ts';
import { createProblemPages } from './site/problem-pages.ts';
import { createPreparedPages } from './site/site-context.ts';
import { createTool } from './site/tool.ts';
import { createReadyResponses } from './v1/leaderboard/ready-responses.ts';
import { createBatchWriter } from './v1/snapshots/batch-writer.ts';
import { createNetworkRecorder } from './v1/snapshots/network-recorder.ts';
import { createVerdictWaits } from './v1/snapshots/verdict-waits.ts';

/** The context with the parts that single surfaces and the HTTP layer add to it. */
export type ServedContext = ReturnType<typeof createServedContext>;

/** The api as one process serves it. */
export type Api = Readonly<ReturnType<typeof createApp>>;

/** Builds the api on its context. Opens no connections and does not listen. `signIn` handles the requests of sign-in. */
export function createApp(base: ApiContext, signIn: readonly Mount[] = []) {
  const ctx = createServedContext(base);
  const { config, clock, log, redis, limiter, hosts } = ctx;
  const onError = (error: unknown): void => log.warn({ err: error }, 'rate counts could not be shared');
  const sharing = shareCounts({ windows: limiter.windows, redis, clock, prefix: config.redisPrefix, onError });
  const koa = new Koa();
  koa.silent = true;
  const logThrottled = createThrottledLog(log);
  koa.on('error', (error: unknown, context?: Koa.Context) => {
    // The server counts aborted requests. An error of a store can have the same code, and is logged.
    if (!isAborted(error) || context?.req.socket.destroyed !== true) logThrottled(error);
  });
  koa.use(measure(ctx));
  koa.use((context, next) => {
    context.set(hosts.transportOf(context.get('host')));
    return next();
  });
  const routes = servedRoutes(config);
  const table = createRouteTable<ServedContext>(routes, hosts);
  const jsonFastPath = config.fastPath === false ? null : createJsonFastPath<ServedContext>(routes, ctx);
  const { board } = base;
  const mcp = serveMcp({ ...ctx, addresses: config, board, logger: log, sellsReports: config.premium !== null });
  const mounts = [mcp, ...signIn];
  const refusals = createRefusals(table, ctx, mounts, (request, response) => parseTarget(koa, request, response));
  const fastPath = config.fastPath === false ? null : createResponseCache(ctx, ROUTES, refusals);
  koa.use(serveErrors(ctx));
  for (const { middleware } of mounts) koa.use(middleware);
  koa.use(serveRoutes<ServedContext>(table, ctx, fastPath?.keep));
  const handle = koa.callback();
  return {
    listener(this: void, request: IncomingMessage, response: ServerResponse): void {
      const usual = readCacheHeaders(request.rawHeaders);
      if (usual !== null && fastPath?.serve(request, response, usual) === true) return;
      const next = (): void => {
        ctx.turns.served(request.socket);
        void handle(request, response);
      };
      if (jsonFastPath?.serve(request, response) === true) ctx.turns.served(request.socket);
      else if (fastPath === null || !refusals.serve(request, response, usual ?? readHeaders(request), next)) next();
    },
    ctx,
    /** The fast path of public reads; null when the settings disable it. */
    fastPath,
    /** The fast path of refused requests. */
    refusals,
    /** The fast path of submissions; null when the settings disable it. */
    jsonFastPath,
    /** Answers waiting submissions now, ends event streams, and reads connections that wait for their turn. */
    async releaseWaiters(): Promise<void> {
      ctx.turns.end();
      ctx.verdicts.close();
      await mcp.endStreams();
    },
    /** Writes accepted submissions and refuses later ones. Call after `releaseWaiters`, when no new requests arrive. */
    async drain(): Promise<void> {
      ctx.verdicts.close();
      await Promise.all([ctx.batches.drain(), mcp.close()]);
      await ctx.networks.drain();
    },
    /** Ends the background tasks. Does not close the stores. */
    async close(): Promise<void> {
      ctx.leaderboard.close();
      await sharing.stop();
    },
  };
}

function createServedContext(ctx: ApiContext) {
  const { config, clock, board, checkStores } = ctx;
  const joinProfiles = singleFlight<Profile | null>();
  return {
    ...ctx,
    limiter: createRateLimiter(config.rates ?? RATE_POLICIES, clock),
    turns: createFairTurns(),
    authenticator: createAuthenticator(ctx),
    clientKey: createClientKey(config.trustedProxies),
    hosts: createHosts(config),
    problemPages: createProblemPages(config),
    // Concurrent requests for the same profile of the same board version share one read.
    board: {
      ...board,
      profile: (codename: string) => joinProfiles(() => board.profile(codename), `${board.view().version} ${codename}`),
    },
    checkStores: rememberBriefly(checkStores, clock),
    leaderboard: createReadyResponses({ board, countListed: () => ctx.ranking.operators.countListed(), clock }),
    batches: createBatchWriter(ctx),
    networks: createNetworkRecorder(ctx),
    verdicts: createVerdictWaits(ctx.queue.waitForBatch, (error) =>
      ctx.log.warn({ err: error }, 'waiting for a verdict failed'),
    ),
    premium: createPremium(ctx, ROUTES),
    description: representJson(describeApi(ROUTES, config), true),
    pages: createPreparedPages(),
    tool: createTool(),
    siteMaps: createSiteMaps(mappedBoard(board), config),
  };
}

function measure({ metrics }: HttpContext): Koa.Middleware {
  return async (context, next) => {
    const startedAt = performance.now();
    try {
      await next();
    } finally {
      const answeredBy: unknown = context.state[ANSWERED_BY];
      const route = typeof answeredBy === 'string' ? answeredBy : 'unmatched';
      metrics.http.answered(route, context.method, context.status, (performance.now() - startedAt) / MS_PER_SECOND);
    }
  };
}

/** The target of a request as Koa reads it; null where it cannot. */
function parseTarget(koa: Koa, request: IncomingMessage, response: ServerResponse): RequestTarget | null {
  try {
    const context = koa.createContext(request, response);
    const path: unknown = context.path;
    return typeof path === 'string' ? context : null;
  } catch {
    return null;
  }
}

/** Codes of the errors by which Node and the body reader report a client that went away. */
const ABORTED: ReadonlySet<unknown> = new Set(['ECONNRESET', 'ECONNABORTED', 'EPIPE', 'ERR_STREAM_PREMATURE_CLOSE']);

/** Whether an error of reading a request or sending its response only means that the client went away. */
function isAborted(error: unknown): boolean {
  return error instanceof Error && 'code' in error && ABORTED.has(error.code);
}
