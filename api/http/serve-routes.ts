import { Router, type RouterContext, type RouterMiddleware } from '@koa/router';
import type Koa from 'koa';
import type { Context, Middleware } from 'koa';
import { MS_PER_SECOND } from '../../config/units.ts';
import { type ClientKey, clientOf } from './client-key.ts';
import { problemOrPage } from './error-forms.ts';
import type { Exchange, Outcome } from './exchange.ts';
import { executeRoute } from './execute-route.ts';
import type { HttpContext } from './http-context.ts';
import { asProblem } from './problem.ts';
import { readBody } from './read-body.ts';
import type { Route, RouteResult } from './route.ts';
import { addSecurityHeaders } from './standard-headers.ts';
import { type RoutesAtPath, redirectToPage, respondUnmatched } from './unmatched.ts';

/** The key in a context's state for the name of the route that responded, for the metrics. */
const ANSWERED_BY = 'answeredBy';

const ANY_PATH = '';

/** Serves every request with a route, or reports that there is none. `keep` gets the results that the response cache may repeat. */
export function serveRoutes<C extends HttpContext>(
  app: Koa,
  routes: readonly Route<C>[],
  ctx: C,
  keep?: (route: Route<C>, target: string, answer: RouteResult) => void,
): void {
  app.use(observe(ctx));
  const byName = new Map(routes.map((route) => [route.operationId, route]));
  if (byName.size < routes.length) throw new Error('two routes have the same operationId');
  app.use(dispatch(createRouters(routes, ctx, keep)));
  app.use((koa: RouterContext) => {
    const there: RoutesAtPath = (koa.matched ?? []).flatMap(({ name = '', methods }) => {
      const route = byName.get(name);
      return route === undefined || route.exists?.(koa) === false ? [] : [{ route, methods }];
    });
    send(koa, respondUnmatched(toExchange(koa, ctx.clientKey), there, ctx));
  });
}

/** Counts and times every request, sets the headers of its host, and responds to errors outside of routes. */
function observe(ctx: HttpContext): Middleware {
  return async (koa, next) => {
    const startedAt = performance.now();
    koa.state[ANSWERED_BY] = 'unmatched';
    koa.set(ctx.hosts.transportOf(koa.get('host')));
    try {
      await next();
    } catch (error) {
      // Another library writes the response.
      if (koa.respond === false) throw error;
      const problem = asProblem(error);
      if (problem.status >= 500) koa.app.emit('error', problem.cause ?? problem, koa);
      const outcome = problemOrPage(problem, toExchange(koa, ctx.clientKey), ctx);
      addSecurityHeaders(outcome.headers);
      send(koa, outcome);
    } finally {
      const route = String(koa.state[ANSWERED_BY]);
      ctx.metrics.http.answered(route, koa.method, koa.status, (performance.now() - startedAt) / MS_PER_SECOND);
    }
  };
}

/** Gives a request to the routers of its path's beginning, so that it is compared with few routes, then to those of any path. */
function dispatch(routers: ReadonlyMap<string, readonly Router[]>): RouterMiddleware {
  const any = routers.get(ANY_PATH) ?? [];
  const chains = new Map([...routers].map(([beginning, own]) => [beginning, chain([...own, ...any])]));
  const ofAny = chain(any);
  chains.set(ANY_PATH, ofAny);
  return (koa, next) => (chains.get(beginningOf(koa.path)) ?? ofAny)(koa, next);
}

function chain(routers: readonly Router[]): RouterMiddleware {
  return routers.reduceRight<RouterMiddleware>(
    (rest, router) => {
      const serve = router.routes();
      return (koa, next) => serve(koa, async () => void (await rest(koa, next)));
    },
    (_, next) => next(),
  );
}

/** The first segment of a path, or ANY_PATH where it is a parameter or empty. */
function beginningOf(path: string): string {
  const end = path.indexOf('/', 1);
  const segment = path.slice(1, end === -1 ? undefined : end);
  return segment.includes(':') ? ANY_PATH : segment;
}

/** The routers of each path's beginning: one for each host that has routes for itself, and one for what every host serves. */
function createRouters<C extends HttpContext>(
  routes: readonly Route<C>[],
  ctx: C,
  keep: ((route: Route<C>, target: string, answer: RouteResult) => void) | undefined,
): ReadonlyMap<string, readonly Router[]> {
  const { hosts, clientKey } = ctx;
  const routers = new Map<string, Map<string | null, Router>>();
  for (const route of routes) {
    const host = hosts.hostOf(route.surface);
    const path = hosts.pathOf(route).replaceAll(/\{(\w+)\}/g, ':$1');
    const ofBeginning = routers.get(beginningOf(path)) ?? new Map<string | null, Router>();
    routers.set(beginningOf(path), ofBeginning);
    const router = ofBeginning.get(host) ?? createRouter(host);
    ofBeginning.set(host, router);
    const { operationId: name, method, alsoMethods = [], fastPath } = route;
    const serve = async (koa: RouterContext, next: Koa.Next): Promise<void> => {
      if (route.exists?.(koa) === false) return next();
      koa.state[ANSWERED_BY] = name;
      const onResult = fastPath && keep && ((answer: RouteResult): void => keep(route, koa.originalUrl, answer));
      const outcome = await executeRoute(route, toExchange(koa, clientKey, koa.params), ctx, onResult);
      if (outcome !== null) send(koa, outcome);
    };
    if (alsoMethods === 'all') router.all(name, path, serve);
    else for (const verb of [method, ...alsoMethods]) router[verb](name, path, serve);
    const redirect = (koa: RouterContext) => send(koa, redirectToPage(koa, toExchange(koa, clientKey), ctx));
    if (route.slash === true) router.all(`${path}/`, redirect);
    else if (route.page === true && method === 'get' && path !== '/') router.get(`${path}/`, redirect);
  }
  return new Map([...routers].map(([beginning, ofBeginning]) => [beginning, [...ofBeginning.values()]]));
}

/** Paths are compared as they are sent: case-sensitive, with their escapes and a trailing slash. */
function createRouter(host: string | null): Router {
  const exact = { sensitive: true, strict: true };
  if (host === null) return new Router(exact);
  return new Router({ ...exact, host: new RegExp(`^${host.replaceAll(/[.*+?^$()|[\]\\]/g, String.raw`\$&`)}$`, 'i') });
}

/** The request that Koa read. */
export function toExchange(
  koa: Context,
  clientKey: ClientKey,
  params: Readonly<Record<string, string>> = {},
): Exchange {
  const { method, querystring: search, req } = koa;
  return {
    method,
    search,
    params,
    header: (name) => {
      const value = req.headers[name];
      return typeof value === 'string' ? value : value?.join(', ');
    },
    client: clientOf(req, clientKey),
    readBody: (type, maxBytes) => readBody(koa, type, maxBytes),
    koa,
  };
}

function send(koa: Context, { status, headers, body, stream, begin }: Outcome): void {
  if (body !== null && stream === undefined) {
    // All headers at once: Koa sets each by itself.
    koa.res.writeHead(status, headers).end(koa.method === 'HEAD' ? undefined : body);
    koa.respond = false;
    return;
  }
  koa.status = status;
  koa.set(headers);
  if (body !== null) koa.body = body;
  if (begin !== undefined) {
    koa.respond = false;
    koa.res.flushHeaders();
    begin();
  }
  if (stream === undefined) return;
  // The status is already sent when a stream fails: only closing the connection early reports the error to the client.
  stream.once('error', () => koa.res.destroy());
  koa.body = stream;
}
