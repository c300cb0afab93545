import { Router } from '@koa/router';
import type { Context, Middleware } from 'koa';
import type { ClientKey } from './client-key.ts';
import { type Exchange, exchangeOf, type Outcome } from './exchange.ts';
import { executeRoute, isForAnyPage } from './execute-route.ts';
import type { HttpContext } from './http-context.ts';
import { asProblem } from './problem.ts';
import { readBody } from './read-body.ts';
import type { Route, RouteResult } from './route.ts';
import { addSecurityHeaders } from './standard-headers.ts';
import { finishProblem, respondUnmatched } from './unmatched.ts';

/** The key in a context's state for the name of the route that responded, for the metrics. */
export const ANSWERED_BY = 'answeredBy';

/**
 * Creates one router for the routes that every host serves, and one for each host with further routes. `keep` is called
 * with the results of routes that have a fast path.
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

/** Responds to errors of the middleware after it, which are problems or internal errors. */
export function serveErrors(ctx: HttpContext): Middleware {
  return async (koa, next) => {
    try {
      await next();
    } catch (error) {
      // Another library writes the response.
      if (koa.respond === false) throw error;
      const problem = asProblem(error);
      if (problem.status >= 500) koa.app.emit('error', problem.cause ?? problem, koa);
      const outcome = finishProblem(problem, toExchange(koa, ctx.clientKey), ctx);
      addSecurityHeaders(outcome.headers);
      const answeredBy: unknown = koa.state[ANSWERED_BY];
      send(koa, typeof answeredBy === 'string' ? answeredBy : 'unmatched', outcome);
    }
  };
}

/** Responds to requests that match no route: preflights, unsupported methods, unknown paths. The last middleware. */
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
      forAnyPage: found.some(isForAnyPage),
      redirectTo: methods.size === 0 ? pageWithoutSlash(koa, routers, byId) : null,
    };
    send(koa, 'unmatched', respondUnmatched(toExchange(koa, ctx.clientKey), there, ctx));
  };
}

/**
 * The address of the page at a path without its trailing slash, with the query unchanged; null when there is no such page.
 * The result is the path of a page on this host, so it cannot redirect to another: no page's path has an empty segment.
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
  ctx.state[ANSWERED_BY] = route;
  ctx.status = outcome.status;
  ctx.set(outcome.headers);
  if (outcome.body !== null) ctx.body = outcome.body;
  if (outcome.stream === undefined) return;
  // The status is already sent when a stream fails: only closing the connection early reports the error to the client.
  outcome.stream.once('error', () => ctx.res.destroy());
  ctx.body = outcome.stream;
}
