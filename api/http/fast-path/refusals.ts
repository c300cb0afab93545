import { randomUUID } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { MS_PER_SECOND } from '../../../config/units.ts';
import { clientOf } from '../client-key.ts';
import type { Outcome } from '../exchange.ts';
import { finishProblem, rateLimited } from '../execute-route.ts';
import type { ResultExchange } from '../finish-result.ts';
import type { HttpContext } from '../http-context.ts';
import { createFormChoice, PROBLEM_FORMS, type ProblemForm } from '../page-forms.ts';
import type { RateDecision } from '../rate-limit/rate-limiter.ts';
import type { Route } from '../route.ts';
import type { RouteTable } from '../route-table.ts';
import { finishUnmatched, methodsAt } from '../unmatched.ts';
import { flatten, makeReadyHead, type ReadyHead, writeReadyHead } from './ready-head.ts';

/** Targets that are split into path and query as Koa splits them. */
const PLAIN_TARGET = /^(\/[^?#\s]*)(\?[^#\s]*)?$/;

/** The part of a problem that is new in each response. */
const INSTANCE = /(?<=urn:uuid:)[0-9a-f-]{36}/;

/** A refused request: what its response depends on besides the form, the host and the quota. */
interface Refused {
  /** Equal for equal responses. */
  readonly key: string;
  /** The name for the metrics. */
  readonly route: string;
  /** Which form clients get that accept all; null for problem+json whatever they accept. */
  readonly preferred: keyof typeof PROBLEM_FORMS | null;
  readonly rate: RateDecision;
  readonly finish: (exchange: ResultExchange) => Outcome;
}

/** A response to refused requests, as text of one byte a character. */
interface PreparedRefusal {
  /** The seconds that a 429 reports; all clients of a policy get the same. */
  readonly resetSeconds: number;
  readonly head: ReadyHead;
  /** The body, cut where the instance is; a page has none. */
  readonly body: readonly string[];
}

/**
 * Refuses requests in front of Koa with prepared bytes: over a quota, for unknown paths, and with methods that a path does not
 * have. The bytes are made by the code that responds in Koa, when they are first needed, and once a second while a 429 counts
 * down. `isOwned` is true for the paths that middleware before the routes serves; Koa handles these.
 */
export function createRefusals<C extends HttpContext>(
  table: RouteTable<C>,
  ctx: HttpContext,
  isOwned: (host: string, path: string) => boolean,
) {
  const { limiter, clientKey, metrics, hosts } = ctx;
  const chooseForm = { page: createFormChoice(PROBLEM_FORMS.page), problem: createFormChoice(PROBLEM_FORMS.problem) };
  const prepared = new Map<string, PreparedRefusal>();
  let served = 0;

  function prepare({ key, rate, finish }: Refused, form: ProblemForm, host: string): PreparedRefusal {
    const transport = hosts.transportOf(host);
    const fullKey = `${key} ${form} ${Object.keys(transport).length}`;
    const known = prepared.get(fullKey);
    if (known !== undefined && (rate.allowed || known.resetSeconds === rate.resetSeconds)) return known;
    const accept = PROBLEM_FORMS.problem.find(([name]) => name === form)?.[1];
    const { status, headers, body } = finish({
      method: 'GET',
      header: (name) => (name === 'accept' ? accept : undefined),
    });
    const made = {
      resetSeconds: rate.resetSeconds,
      head: makeReadyHead(status, flatten({ ...headers, ...transport })),
      body: (body ?? Buffer.alloc(0)).toString('latin1').split(INSTANCE),
    };
    prepared.set(fullKey, made);
    return made;
  }

  function send(request: IncomingMessage, response: ServerResponse, refused: Refused, startedAt: number): void {
    const { method = 'GET', headers } = request;
    const { preferred, rate, route } = refused;
    const form = preferred === null ? 'json' : (chooseForm[preferred](headers.accept, () => true) ?? 'json');
    const { head, body } = prepare(refused, form, headers.host ?? '');
    writeReadyHead(response, head, rate);
    const [start = '', end] = body;
    if (method === 'HEAD') response.end();
    else response.end(end === undefined ? start : start + randomUUID() + end, 'latin1');
    served += 1;
    metrics.http.answered(route, method, head.status, (performance.now() - startedAt) / MS_PER_SECOND);
  }

  const overQuota = (route: Route<C>, rate: RateDecision): Refused => ({
    key: `${route.operationId} ${rate.policy.name}`,
    route: route.operationId,
    preferred: route.page === true ? 'page' : null,
    rate,
    finish: (exchange) => finishProblem(route, rateLimited(rate), exchange, ctx, rate),
  });

  /** A request to a route over its quota. A token may be good whatever other requests of its address were, so Koa verifies it. */
  function refusedByRoute(route: Route<C>, { headers }: IncomingMessage, client: string): Refused | null {
    const policy = route.auth === 'public' ? route.limit : 'failures';
    if (policy === null || (policy === 'failures' && headers.authorization !== undefined)) return null;
    const rate = limiter.peek(policy, client);
    return rate.allowed ? null : overQuota(route, rate);
  }

  /** A request that no route matches. Null for a preflight and a redirect within the quota: Koa counts them. */
  function refusedUnmatched(target: Parameters<typeof methodsAt>[1], client: string): Refused | null {
    const there = methodsAt(table, target);
    const { allowed, forAnyPage, redirectTo } = there;
    const isRefused = redirectTo === null && (target.method !== 'OPTIONS' || allowed.length === 0);
    const rate = isRefused ? limiter.take('public', client) : limiter.peek('public', client);
    if (rate.allowed && !isRefused) return null;
    return {
      key: `${rate.allowed ? allowed.join() : 'over'} ${forAnyPage}`,
      route: 'unmatched',
      preferred: 'problem',
      rate,
      finish: (exchange) => finishUnmatched(exchange, there, ctx, rate),
    };
  }

  return {
    /** Responds and returns true, or leaves the request untouched and returns false. */
    serve(request: IncomingMessage, response: ServerResponse): boolean {
      const { method = 'GET', url = '', headers } = request;
      const { host = '' } = headers;
      const [, path, search = ''] = PLAIN_TARGET.exec(url) ?? [];
      if (path === undefined || /[,@]/.test(host)) return false;
      const startedAt = performance.now();
      const route = table.at(host, path).get(method);
      if (route === undefined && isOwned(host, path)) return false;
      const client = clientOf(request, clientKey);
      const refused =
        route === undefined
          ? refusedUnmatched({ method, host, path, search }, client)
          : refusedByRoute(route, request, client);
      if (refused === null) return false;
      send(request, response, refused, startedAt);
      return true;
    },
    /** Requests refused so far. */
    served: () => served,
  };
}
