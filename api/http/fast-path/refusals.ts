import type { IncomingMessage, ServerResponse } from 'node:http';
import { MS_PER_SECOND } from '../../../config/units.ts';
import { clientOf } from '../client-key.ts';
import type { Outcome } from '../exchange.ts';
import { finishProblem, rateLimited } from '../execute-route.ts';
import type { ResultExchange } from '../finish-result.ts';
import type { HttpContext } from '../http-context.ts';
import { createFormChoice, PROBLEM_FORMS, type ProblemForm } from '../page-forms.ts';
import { INSTANCE, newInstance } from '../problem.ts';
import type { RateDecision } from '../rate-limit/rate-limiter.ts';
import type { Route } from '../route.ts';
import type { RouteTable } from '../route-table.ts';
import { finishUnmatched, methodsAt } from '../unmatched.ts';
import { flatten, makeReadyHead, type ReadyHead, writeReadyHead } from './ready-head.ts';

/** Targets that are split into path and query as Koa splits them. */
const PLAIN_TARGET = /^(\/[^?#\s]*)(\?[^#\s]*)?$/;

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

export type Refusals = ReturnType<typeof createRefusals>;

/**
 * Refuses requests in front of Koa with prepared bytes: over a quota, for unknown paths, and with methods that a path does not
 * have. The bytes are made by the code that responds in Koa, when they are first needed, and once a second while a 429 counts
 * down. `isOwned` is true for the paths that middleware before the routes serves; Koa handles these.
 */
export function createRefusals(
  table: RouteTable<never>,
  ctx: HttpContext,
  isOwned: (host: string, path: string) => boolean,
) {
  const { limiter, clientKey, metrics, hosts, authenticator } = ctx;
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

  function send(refused: Refused, request: IncomingMessage, response: ServerResponse, startedAt: number): void {
    const { method = 'GET', headers } = request;
    const { preferred, rate, route } = refused;
    const form = preferred === null ? 'json' : (chooseForm[preferred](headers.accept, () => true) ?? 'json');
    const { head, body } = prepare(refused, form, headers.host ?? '');
    writeReadyHead(response, head, rate);
    const [start = '', end] = body;
    if (method === 'HEAD') response.end();
    else response.end(end === undefined ? start : start + newInstance() + end, 'latin1');
    served += 1;
    metrics.http.answered(route, method, head.status, (performance.now() - startedAt) / MS_PER_SECOND);
  }

  const overQuota = (route: Route<never>, rate: RateDecision): Refused => ({
    key: `${route.operationId} ${rate.policy.name}`,
    route: route.operationId,
    preferred: route.page === true ? 'page' : null,
    rate,
    finish: (exchange) => finishProblem(route, rateLimited(rate), exchange, ctx, rate),
  });

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
    /**
     * Responds and returns true, or leaves the request untouched and returns false. `next` handles a request that turned out
     * to be allowed after true was returned.
     */
    serve(request: IncomingMessage, response: ServerResponse, next: () => void): boolean {
      const { method = 'GET', url = '', headers } = request;
      const { host = '' } = headers;
      const [, path, search = ''] = PLAIN_TARGET.exec(url) ?? [];
      if (path === undefined || /[,@]/.test(host)) return false;
      const startedAt = performance.now();
      const route = table.at(host, path).get(method);
      if (route === undefined && isOwned(host, path)) return false;
      const client = clientOf(request, clientKey);
      if (route === undefined) {
        const refused = refusedUnmatched({ method, host, path, search }, client);
        if (refused !== null) send(refused, request, response, startedAt);
        return refused !== null;
      }
      const policy = route.auth === 'public' ? route.limit : 'failures';
      const rate = policy === null ? null : limiter.peek(policy, client);
      if (rate === null || rate.allowed) return false;
      const refuse = (): void => send(overQuota(route, rate), request, response, startedAt);
      if (route.auth === 'public') refuse();
      // A good token is served whatever other requests of its address were.
      else void authenticator.verifies(headers.authorization).then((isGood) => (isGood ? next() : refuse()), next);
      return true;
    },
    /** Responds to a request to a route over its quota. */
    refuse: (route: Route<never>, rate: RateDecision, request: IncomingMessage, response: ServerResponse): void =>
      send(overQuota(route, rate), request, response, performance.now()),
    /** Requests refused so far. */
    served: () => served,
  };
}
