import { Router } from '@koa/router';
import type { Context, Middleware } from 'koa';
import type { ClientKey } from './client-key.ts';
import { type Exchange, exchangeOf, type Outcome } from './exchange.ts';
import { executeRoute, isPublicRead } from './execute-route.ts';
import type { HttpContext } from './http-context.ts';
import { isNotConfigured } from './problem.ts';
import { readBody } from './read-body.ts';
import type { Route, RouteResult } from './route.ts';
import { respondUnmatched } from './unmatched.ts';

/** The key in a context's state under which the name of the route that answered is left for the metrics. */
export const ANSWERED_BY = 'answeredBy';

/**
 * Creates one router for the routes that every host serves, and one for each host that serves routes of its own. `keep` is
 * called with the answers of routes that have a fast path.
 */
export function createRouters<C extends HttpContext>(
  routes: readonly Route<C>[],
  ctx: C,
  keep?: (route: Route<C>, target: string, answer: RouteResult) => void,
): Router[] {
  const { hosts, clientKey } = ctx;
  const everywhere = new Router(ROUTER_OPTIONS);
  const routers = new Map<string | null, Router>([[null, everywhere]]);
  for (const route of routes) {
    const host = hosts.hostOf(route.surface);
    const router = routers.get(host) ?? new Router({ ...ROUTER_OPTIONS, host: exactly(host ?? '') });
    routers.set(host, router);
    const path = hosts.pathOf(route).replace(/\{(\w+)\}/g, ':$1');
    router[route.method](route.operationId, path, async (koa) => {
      const exchange = toExchange(koa, clientKey, koa.params);
      const onResult = route.fastPath && keep && ((answer: RouteResult) => keep(route, koa.originalUrl, answer));
      send(koa, route.operationId, await executeRoute(route, exchange, ctx, onResult));
    });
  }
  return [...routers.values()];
}

/** Answers what no route took: preflights, methods that are not there, paths that are not. Goes last. */
export function serveUnmatched(
  routes: readonly Route<never>[],
  ctx: HttpContext,
  routers: readonly Router[],
): Middleware {
  const byId = new Map(routes.map((route) => [route.operationId, route]));
  return (koa) => {
    const layers = routers
      .filter(({ host }) => isHost(host, koa.host))
      .flatMap((router) => router.match(koa.path, koa.method).path);
    const methods = new Set(layers.flatMap((layer) => layer.methods));
    const found = layers.flatMap(({ name = '' }) => byId.get(name) ?? []);
    const there = {
      allowed: methods.size === 0 ? [] : [...methods, 'OPTIONS'],
      publicRead: found.some(isPublicRead),
      redirectTo: methods.size === 0 ? pageWithoutSlash(koa, routers, byId) : null,
    };
    send(koa, 'unmatched', respondUnmatched(toExchange(koa, ctx.clientKey), there, ctx));
  };
}

/**
 * The page that is meant by its address with a slash at the end, with the query as it was; null when there is none. What
 * is answered is the path of a page of this host, so it leads nowhere else: no page's path has an empty segment.
 */
function pageWithoutSlash(
  ctx: Context,
  routers: readonly Router[],
  byId: ReadonlyMap<string, Route<never>>,
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
  const { path, querystring: search } = ctx;
  return exchangeOf(ctx.req, { path, search, params, readBody: (maxBytes) => readBody(ctx, maxBytes) }, clientKey);
}

function send(ctx: Context, route: string, outcome: Outcome): void {
  ctx.state[ANSWERED_BY] = isNotConfigured(outcome.code) ? 'notConfigured' : route;
  ctx.status = outcome.status;
  ctx.set(outcome.headers);
  if (outcome.body !== null) ctx.body = outcome.body;
  if (outcome.stream === undefined) return;
  // The status has gone out when a stream breaks: only a connection that ends early reports it to the client.
  outcome.stream.once('error', () => ctx.res.destroy());
  ctx.body = outcome.stream;
}
