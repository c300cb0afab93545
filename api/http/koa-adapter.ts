import type { Context, Middleware } from 'koa';
import { type ClientKey, clientOf } from './client-key.ts';
import { type Exchange, exchangeOf, type Outcome } from './exchange.ts';
import { executeRoute } from './execute-route.ts';
import type { HttpContext } from './http-context.ts';
import { asProblem } from './problem.ts';
import { readBody } from './read-body.ts';
import type { Route, RouteResult } from './route.ts';
import type { RouteTable } from './route-table.ts';
import { finishUnlisted, respondUnmatched } from './unmatched.ts';

/** The key in a context's state for the name of the route that responded, for the metrics. */
export const ANSWERED_BY = 'answeredBy';

/**
 * Serves the routes, and responds to requests that none of them matches. The last middleware. `keep` is called with the results
 * of routes that have a fast path.
 */
export function serveRoutes<C extends HttpContext>(
  table: RouteTable<C>,
  ctx: C,
  keep?: (route: Route<C>, target: string, answer: RouteResult) => void,
): Middleware {
  return async (koa) => {
    const { method, host, path, search } = koa;
    const route = table.at(host, path).get(method);
    if (route === undefined) {
      const target = { method, host, path, search };
      send(koa, 'unmatched', respondUnmatched(toExchange(koa, ctx.clientKey), target, table, ctx));
      return;
    }
    const exchange = toExchange(koa, ctx.clientKey, table.params(route, path));
    const onResult = route.fastPath && keep && ((answer: RouteResult) => keep(route, koa.originalUrl, answer));
    send(koa, route.operationId, await executeRoute(route, exchange, ctx, onResult));
  };
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
      const outcome = finishUnlisted(problem, toExchange(koa, ctx.clientKey), ctx);
      const answeredBy: unknown = koa.state[ANSWERED_BY];
      send(koa, typeof answeredBy === 'string' ? answeredBy : 'unmatched', outcome);
    }
  };
}

function toExchange(ctx: Context, clientKey: ClientKey, params: Readonly<Record<string, string>> = {}): Exchange {
  const { path, querystring: search } = ctx;
  const client = clientOf(ctx.req, clientKey);
  return exchangeOf(ctx.req, { path, search, params, client, readBody: (maxBytes) => readBody(ctx, maxBytes) });
}

/** Sends a response; `route` is its name for the metrics. */
export function send(ctx: Context, route: string, outcome: Outcome): void {
  ctx.state[ANSWERED_BY] = route;
  ctx.status = outcome.status;
  ctx.set(outcome.headers);
  if (outcome.body !== null) ctx.body = outcome.body;
  if (outcome.stream === undefined) return;
  // The status is already sent when a stream fails: only closing the connection early reports the error to the client.
  outcome.stream.once('error', () => ctx.res.destroy());
  ctx.body = outcome.stream;
}
