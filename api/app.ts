import type { RequestListener } from 'node:http';
import Koa from 'koa';
import { LIMITS } from '../config/limits.ts';
import { createThrottledLog } from '../ops/runtime/telemetry/index.ts';
import type { Addresses } from './addresses.ts';
import { createAuthenticator } from './auth/authenticator.ts';
import { localKeySource, remoteKeySource } from './auth/key-source.ts';
import { rememberBriefly } from './health/probes.ts';
import { isAborted } from './http/aborted.ts';
import { createClientKey } from './http/client-key.ts';
import type { RouteEnvironment } from './http/execute-route.ts';
import { createJsonFastPath, type JsonFastPath } from './http/fast-path/json-fast-path.ts';
import { createResponseCache, type ResponseCache, type ResponseCacheOptions } from './http/fast-path/response-cache.ts';
import { ANSWERED_BY, createRouters, type KoaAdapterOptions, serveUnmatched } from './http/koa-adapter.ts';
import { createRateLimiter, type RateLimiter } from './http/rate-limit/rate-limiter.ts';
import { RATE_POLICIES } from './http/rate-limit/rate-policy.ts';
import { type CountSharing, shareCounts } from './http/rate-limit/share-counts.ts';
import { represent } from './http/representation.ts';
import { createTransportHeaders } from './http/standard-headers.ts';
import type { UnmatchedEnvironment } from './http/unmatched.ts';
import { serveMcp } from './mcp/serve-mcp.ts';
import { describeApi } from './openapi/describe.ts';
import type { ApiPorts } from './ports.ts';
import { createPremium } from './premium/create-premium.ts';
import { ROUTES } from './routes.ts';
import type { ApiServices } from './services.ts';
import type { ApiSettings } from './settings.ts';
import { securityText } from './site/agents/security-text.ts';
import { createSiteMaps, mappedBoard } from './site/agents/site-maps.ts';
import { createPreparedPages } from './site/prepared-pages.ts';
import { createProblemPages } from './site/problem-pages.ts';
import { createReadyAnswers } from './v1/leaderboard/ready-answers.ts';
import { joinProfiles } from './v1/operators/join-profiles.ts';
import { createSnapshotIntake } from './v1/snapshots/snapshot-intake.ts';

/** The api as one process serves it. */
export interface Api {
  readonly listener: RequestListener;
  readonly services: ApiServices;
  readonly limiter: RateLimiter;
  /** The fast path of public reads; null when the settings disable it. */
  readonly fastPath: ResponseCache<ApiServices> | null;
  /** The fast path of submissions; null when the settings disable it. */
  readonly jsonFastPath: JsonFastPath | null;
  /** Answers waiting submissions now, and ends event streams. */
  releaseWaiters(): Promise<void>;
  /** Writes accepted submissions and refuses later ones. Call after `releaseWaiters`, when no new requests arrive. */
  drain(): Promise<void>;
  /** Ends the background tasks. Does not close the ports. */
  close(): Promise<void>;
}

/** Builds the api on its ports. Opens no connections and does not listen. */
export function createApp(ports: ApiPorts, settings: ApiSettings): Api {
  const { clock, logger } = ports;
  const limiter = createRateLimiter(settings.rates ?? RATE_POLICIES, LIMITS.rate.trackedClients, clock);
  const sharing = startSharing(ports, settings, limiter);
  const services = createServices(ports, settings);
  const koa = new Koa();
  koa.silent = true;
  const logThrottled = createThrottledLog(logger);
  koa.on('error', (error: unknown, ctx?: Koa.Context) => {
    // The server counts aborted requests. An error of a store can have the same code, and is logged.
    if (!isAborted(error) || ctx?.req.socket.destroyed !== true) logThrottled(error);
  });
  koa.use(measure(ports));
  const clientKey = createClientKey(settings.trustedProxies);
  const { baseUrl: base, siteUrl: site, loginUrl: login, authUrl: auth } = settings;
  const surfaces = { base, site, login, auth };
  const transport = createTransportHeaders(surfaces);
  koa.use((ctx, next) => {
    ctx.set(transport(ctx.get('host')));
    return next();
  });
  const version = (): number => ports.board.view().version;
  const cacheOptions: ResponseCacheOptions = {
    clock,
    limiter,
    clientKey,
    surfaces,
    transport,
    version,
    metrics: ports.metrics.http,
  };
  const fastPath = settings.fastPath === false ? null : createResponseCache<ApiServices>(cacheOptions);
  const adapter: KoaAdapterOptions<ApiServices> = {
    routes: ROUTES,
    surfaces,
    environment: createEnvironment(ports, settings, services, limiter),
    clientKey,
    ...(fastPath === null ? {} : { keep: fastPath.keep }),
  };
  const jsonFastPath =
    settings.fastPath === false ? null : createJsonFastPath({ ...adapter, transport, metrics: ports.metrics.http });
  const routers = createRouters(adapter);
  const mcp = serveMcp({ addresses: services.addresses, board: ports.board, limiter, clientKey, logger });
  koa.use(mcp.middleware);
  for (const middleware of ports.identity?.middleware ?? []) koa.use(middleware);
  for (const router of routers) koa.use(router.routes());
  koa.use(serveUnmatched(adapter, routers));
  const handle = koa.callback();
  return {
    listener(request, response) {
      if (fastPath?.serve(request, response) === true || jsonFastPath?.serve(request, response) === true) return;
      void handle(request, response);
    },
    services,
    limiter,
    fastPath,
    jsonFastPath,
    async releaseWaiters() {
      services.intake.releaseWaiters();
      await mcp.endStreams();
    },
    async drain() {
      await Promise.all([services.intake.drain(), mcp.close()]);
    },
    async close() {
      services.leaderboard.close();
      await sharing?.stop();
    },
  };
}

function createServices(ports: ApiPorts, settings: ApiSettings): ApiServices {
  const { baseUrl, siteUrl, loginUrl, authUrl, issuer, verdictWaitMs, contact } = settings;
  const addresses: Addresses = { baseUrl, siteUrl, loginUrl, authUrl, issuer };
  const description = represent(
    JSON.stringify(describeApi(ROUTES, addresses)),
    'application/json; charset=utf-8',
    true,
  );
  return {
    leaderboard: createReadyAnswers(ports.board),
    board: { ...ports.board, profile: joinProfiles(ports.board) },
    intake: createSnapshotIntake({ ports, settings, verdictWaitMs }),
    accounts: ports.accounts,
    members: ports.members,
    billing: ports.billing,
    premium: createPremium({
      config: settings.premium,
      purchases: ports.purchases,
      board: ports.board,
      clock: ports.clock,
      routes: ROUTES,
      addresses,
      enforcePlan: settings.enforcePlan,
    }),
    checkStores: rememberBriefly(() => ports.checkStores(), ports.clock),
    description: () => description,
    pages: createPreparedPages(addresses),
    siteMaps: createSiteMaps(mappedBoard(ports.board), addresses),
    securityText: () => (contact === null ? null : securityText(contact, addresses, ports.clock())),
    addresses,
  };
}

function createEnvironment(
  ports: ApiPorts,
  settings: ApiSettings,
  services: ApiServices,
  limiter: RateLimiter,
): RouteEnvironment<ApiServices> & UnmatchedEnvironment {
  const { baseUrl, siteUrl, loginUrl, issuer, jwksUrl } = settings;
  const { accounts, operators, clock, logger } = ports;
  const keys = jwksUrl === undefined ? localKeySource(() => accounts.jwks(), clock) : remoteKeySource(jwksUrl);
  return {
    services,
    siteUrl,
    limiter,
    problemPages: createProblemPages(services.addresses),
    authenticator: createAuthenticator({
      issuer,
      baseUrl,
      loginUrl,
      keys,
      accounts,
      operators,
      outside: ports.outside ?? null,
      clock,
    }),
    onFault: ({ operationId, instance, problem }) => {
      const fields = { err: problem.cause ?? problem, route: operationId, instance, code: problem.code };
      logger.error(fields, 'request failed with an internal error');
    },
    recoveryLinks: {
      sitemap: `${siteUrl}/sitemap.xml`,
      llms: `${siteUrl}/llms.txt`,
      developers: `${siteUrl}/developers`,
      description: `${siteUrl}/openapi.json`,
      leaderboard: `${baseUrl}/leaderboard`,
    },
  };
}

function startSharing(
  { redis, clock, logger }: ApiPorts,
  { redisPrefix: prefix = 'upsilon' }: ApiSettings,
  { windows }: RateLimiter,
): CountSharing | null {
  if (redis === null) return null;
  const onError = (error: unknown): void => logger.warn({ err: error }, 'rate counts could not be shared');
  return shareCounts({ windows, redis, clock, prefix, onError });
}

function measure({ metrics }: ApiPorts): Koa.Middleware {
  return async (ctx, next) => {
    const startedAt = performance.now();
    try {
      await next();
    } finally {
      const answeredBy: unknown = ctx.state[ANSWERED_BY];
      const route = typeof answeredBy === 'string' ? answeredBy : 'unmatched';
      metrics.http.answered(route, ctx.method, ctx.status, (performance.now() - startedAt) / 1000);
    }
  };
}
