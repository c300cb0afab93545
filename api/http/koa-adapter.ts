import { Router } from '@koa/router';
import type { Context, Middleware } from 'koa';
import { type ClientKey, clientOf } from './client-key.ts';
import type { Exchange, Outcome } from './exchange.ts';
import { executeRoute, isPublicRead, type RouteEnvironment } from './execute-route.ts';
import { readBody } from './read-body.ts';
import type { Answer, Route, SurfaceUrls } from './route.ts';
import { answerUnmatched, type UnmatchedEnvironment } from './unmatched.ts';

export interface KoaAdapterOptions<S> {
  readonly routes: readonly Route<S>[];
  readonly surfaces: SurfaceUrls;
  readonly environment: RouteEnvironment<S> & UnmatchedEnvironment;
  readonly clientKey: ClientKey;
  /** Told of what a route with a lane answered to a request target. */
  readonly keep?: (route: Route<S>, target: string, answer: Answer) => void;
}

/** The key in a context's state under which the name of the route that answered is left for the metrics. */
export const ANSWERED_BY = 'answeredBy';

/**
 * Makes one router for each host that has surfaces, and one for what every host has. When there are several hosts, each
 * answers only its own paths; one alone answers whatever the Host header says.
 */
export function createRouters<S>({ routes, surfaces, environment, clientKey, keep }: KoaAdapterOptions<S>): Router[] {
  const everywhere = new Router(ROUTER_OPTIONS);
  const hosts = new Set(Object.values(surfaces).map((address) => new URL(address).host));
  const own = (host: string): Router =>
    new Router(hosts.size > 1 ? { ...ROUTER_OPTIONS, host: exactly(host) } : ROUTER_OPTIONS);
  const routers = new Map(Array.from(hosts, (host) => [host, own(host)]));
  for (const route of routes) {
    const url = route.surface === 'every' ? null : new URL(surfaces[route.surface]);
    const router = url === null ? everywhere : routers.get(url.host);
    const path = `${url?.pathname.replace(/\/$/, '') ?? ''}${route.path.replace(/\{(\w+)\}/g, ':$1')}`;
    router?.[route.method](route.operationId, path, async (ctx) => {
      const exchange = toExchange(ctx, clientKey, ctx.params);
      const onAnswer = route.fastPath && keep && ((answer: Answer) => keep(route, ctx.originalUrl, answer));
      send(ctx, route.operationId, await executeRoute(route, exchange, environment, onAnswer));
    });
  }
  return [everywhere, ...routers.values()];
}

/** Answers what no route took: preflights, methods that are not there, paths that are not. Goes last. */
export function serveUnmatched<S>(options: KoaAdapterOptions<S>, routers: readonly Router[]): Middleware {
  const byId = new Map(options.routes.map((route) => [route.operationId, route]));
  return (ctx) => {
    const layers = routers
      .filter(({ host }) => isHost(host, ctx.host))
      .flatMap((router) => router.match(ctx.path, ctx.method).path);
    const methods = new Set(layers.flatMap((layer) => layer.methods));
    const found = layers.flatMap(({ name = '' }) => byId.get(name) ?? []);
    const there = {
      allowed: methods.size === 0 ? [] : [...methods, 'OPTIONS'],
      publicRead: found.some(isPublicRead),
      redirectTo: methods.size === 0 ? pageWithoutSlash(ctx, routers, byId) : null,
    };
    send(ctx, 'unmatched', answerUnmatched(toExchange(ctx, options.clientKey), there, options.environment));
  };
}

/**
 * The page that is meant by its address with a slash at the end, with the query as it was; null when there is none. What
 * is answered is the path of a page of this host, so it leads nowhere else: no page's path has an empty segment.
 */
function pageWithoutSlash<S>(
  ctx: Context,
  routers: readonly Router[],
  byId: ReadonlyMap<string, Route<S>>,
): string | null {
  if (ctx.method !== 'GET' && ctx.method !== 'HEAD') return null;
  if (!/^(?:\/[^/\\]+)+\/$/.test(ctx.path)) return null;
  const path = ctx.path.slice(0, -1);
  const layers = routers
    .filter(({ host }) => isHost(host, ctx.host))
    .flatMap((router) => router.match(path, 'GET').pathAndMethod);
  return layers.some(({ name = '' }) => byId.get(name)?.page === true) ? `${path}${ctx.search}` : null;
}

const ROUTER_OPTIONS = { strict: true, sensitive: true };

function exactly(host: string): RegExp {
  return new RegExp(`^${host.replace(/[.*+?^${}()|[\]\\]/g, String.raw`\$&`)}$`, 'i');
}

function isHost(expected: Router['host'], host: string): boolean {
  return expected === undefined || (expected instanceof RegExp && expected.test(host));
}

function toExchange(ctx: Context, clientKey: ClientKey, params: Readonly<Record<string, string>> = {}): Exchange {
  const { headers } = ctx.req;
  return {
    method: ctx.method,
    path: ctx.path,
    search: ctx.querystring,
    params,
    header: (name) => {
      const value = headers[name];
      return typeof value === 'string' ? value : value?.join(', ');
    },
    client: clientOf(ctx.req, clientKey),
    readBody: (maxBytes) => readBody(ctx, maxBytes),
  };
}

function send(ctx: Context, route: string, outcome: Outcome): void {
  ctx.state[ANSWERED_BY] = route;
  ctx.status = outcome.status;
  ctx.set(outcome.headers);
  if (outcome.body !== null) ctx.body = outcome.body;
  if (outcome.stream === undefined) return;
  // The status has gone out when a stream breaks: all that is left to tell the client is a connection that ends early.
  outcome.stream.once('error', () => ctx.res.destroy());
  ctx.body = outcome.stream;
}
