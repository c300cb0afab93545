import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Middleware } from 'koa';
import { finishProblem, rateLimited } from '../execute-route.ts';
import { folderOf } from '../hosts.ts';
import type { HttpContext } from '../http-context.ts';
import type { RateDecision } from '../rate-limit/rate-limiter.ts';
import type { Route } from '../route.ts';
import type { RoutesAtPath, RouteTable } from '../route-table.ts';
import { finishUnlisted, finishUnmatched, policyAt, type RequestTarget, redirectAt } from '../unmatched.ts';
import type { CacheHeaders } from './cache-headers.ts';
import { createRefusalSender, keepRefusals, type RefusalParts, type Refused } from './prepared-refusals.ts';

/** Targets that Koa splits into path and query at the first question mark, and hosts that it takes as they are. */
const PLAIN_TARGET = /^\/[^#\s]*$/;
const PLAIN_HOST = /^[^,@]*$/;

/** The target of a usual request; null for one that Koa has to parse. */
function targetOf({ method = 'GET', url = '' }: IncomingMessage, host = ''): RequestTarget | null {
  if (!PLAIN_TARGET.test(url) || !PLAIN_HOST.test(host)) return null;
  const query = url.indexOf('?');
  return query < 0
    ? { method, host, path: url, search: '' }
    : { method, host, path: url.slice(0, query), search: url.slice(query) };
}

/** Middleware before the routes, and what it refuses. */
export interface Mount {
  readonly middleware: Middleware;
  /** The folders of all paths that it handles, as `folderOf` returns them. */
  readonly folders: Iterable<string>;
  /** What it does with a request: refuses it because of a quota, or something that Koa handles, or nothing (null). */
  readonly refuse: (target: RequestTarget, client: string, hasToken: boolean) => Refused | 'handled' | null;
}

/** Over a quota of middleware before the routes, which throws `rateLimited` in Koa. `route`: the name for the metrics. */
export const overMountQuota = (route: string): RefusalParts => ({
  route,
  preferred: 'problem',
  finish(exchange, ctx, rate) {
    const outcome = finishUnlisted(rateLimited(rate), exchange, ctx);
    Object.assign(outcome.headers, rate.headers);
    return outcome;
  },
});

const overQuota = (route: Route<never>): RefusalParts => ({
  route: route.operationId,
  preferred: route.page === true ? 'page' : null,
  finish: (exchange, ctx, rate) => finishProblem(route, rateLimited(rate), exchange, ctx, rate),
});

/** `routes`: those at the path, none of which has the request's method. */
const unmatched = (routes: RoutesAtPath<never>): RefusalParts => ({
  route: 'unmatched',
  preferred: 'problem',
  finish: (exchange, ctx, rate) => finishUnmatched(exchange, routes, ctx, rate),
});

/** Creates the function that refuses requests that no route matches. `routes`: those at the path. */
function createUnmatchedRefusals(table: RouteTable<never>, { limiter, hosts }: HttpContext) {
  const [within, over] = [keepRefusals(unmatched), keepRefusals(unmatched)];
  return (target: RequestTarget, client: string, routes: RoutesAtPath<never>): Refused | 'handled' => {
    const policy = policyAt(target, hosts);
    const isPreflight = target.method === 'OPTIONS' && routes.size > 0;
    const isHandled = isPreflight || redirectAt(table, target, routes) !== null;
    // Koa counts preflights and redirects.
    const rate = isHandled ? limiter.peek(policy, client) : limiter.take(policy, client);
    if (!rate.allowed) return over(routes, rate);
    return isHandled ? 'handled' : within(routes, rate);
  };
}

/** The decision on a request to a route by what needs no token; null when it is allowed so far. */
function refusingRate(
  { auth, limit, alsoLimit }: Route<never>,
  client: string,
  { limiter }: HttpContext,
): RateDecision | null {
  for (const policy of auth === 'public' ? [limit, alsoLimit] : ['failures' as const]) {
    const rate = policy ? limiter.peek(policy, client) : null;
    if (rate?.allowed === false) return rate;
  }
  return null;
}

/** Creates the function that asks about a request the mounts that serve its folder: asking all of them takes 5 % of the CPU time of a 404. */
function createMountRefusals(
  mounts: readonly Mount[],
): (...request: Parameters<Mount['refuse']>) => Refused | 'handled' | null {
  const byFolder = new Map<string, Set<Mount>>();
  for (const mount of mounts) {
    for (const folder of mount.folders) {
      byFolder.set(folder, (byFolder.get(folder) ?? new Set<Mount>()).add(mount));
    }
  }
  return (target, client, hasToken) => {
    for (const { refuse } of byFolder.get(folderOf(target.path)) ?? []) {
      const found = refuse(target, client, hasToken);
      if (found !== null) return found;
    }
    return null;
  };
}

export type Refusals = ReturnType<typeof createRefusals>;

/**
 * Refuses requests in front of Koa with prepared bytes: over a quota, for unknown paths, and with methods that a path does not
 * have. The bytes are made by the code that responds in Koa. `parse` reads unusual targets as Koa does.
 */
export function createRefusals(
  table: RouteTable<never>,
  ctx: HttpContext,
  mounts: readonly Mount[],
  parse: (request: IncomingMessage, response: ServerResponse) => RequestTarget | null,
) {
  const { clientKey, authenticator } = ctx;
  const send = createRefusalSender(ctx);
  const refuseUnmatched = createUnmatchedRefusals(table, ctx);
  const refuseByMount = createMountRefusals(mounts);
  const refuseOverQuota = keepRefusals(overQuota);
  let served = 0;

  /** A good token is served whatever other requests of its address were. Koa reports an error of verifying. */
  async function unlessVerified(
    authorization: string | undefined,
    refuse: () => void,
    next: () => void,
  ): Promise<void> {
    const isGood = await authenticator.verifies(authorization).catch(() => true);
    if (isGood) next();
    else refuse();
  }

  return {
    /**
     * Responds and returns true, or leaves the request untouched and returns false. `next` handles a request that turned out
     * to be allowed after true was returned.
     */
    serve(request: IncomingMessage, response: ServerResponse, headers: CacheHeaders, next: () => void): boolean {
      const startedAt = performance.now();
      const target = targetOf(request, headers.host) ?? parse(request, response);
      if (target === null) return false;
      const client = clientKey(request.socket.remoteAddress, headers.forwardedFor);
      const refuse = (refused: Refused): void => {
        served += 1;
        send(refused, request, response, startedAt, headers);
      };
      const routes = table.at(target.host, target.path);
      const route = routes.get(target.method);
      if (route === undefined) {
        const hasToken = headers.authorization !== undefined;
        const refused = refuseByMount(target, client, hasToken) ?? refuseUnmatched(target, client, routes);
        if (refused !== 'handled') refuse(refused);
        return refused !== 'handled';
      }
      const rate = refusingRate(route, client, ctx);
      if (rate === null) return false;
      if (route.auth === 'public') refuse(refuseOverQuota(route, rate));
      else void unlessVerified(headers.authorization, () => refuse(refuseOverQuota(route, rate)), next);
      return true;
    },
    /** Responds to a request to a route over its quota, whose headers were read before. */
    refuse(
      route: Route<never>,
      rate: RateDecision,
      request: IncomingMessage,
      response: ServerResponse,
      headers: CacheHeaders,
    ): void {
      served += 1;
      send(refuseOverQuota(route, rate), request, response, performance.now(), headers);
    },
    /** Requests refused so far. */
    served: () => served,
  };
}
