import type { IncomingMessage, ServerResponse } from 'node:http';
import { isPublicRead } from '../execute-route.ts';
import type { HttpContext } from '../http-context.ts';
import { createFormChoice, PAGE_FORMS, pageFormOf } from '../page-forms.ts';
import type { RateDecision } from '../rate-limit/rate-limiter.ts';
import { chooseCoding, matchesTag } from '../representation.ts';
import type { Route, RouteResult } from '../route.ts';
import type { CacheHeaders } from './cache-headers.ts';
import { type CacheEntry, CacheStore } from './cache-store.ts';
import { type CachedResponse, makeCachedResponse } from './cached-response.ts';
import { endInOnePiece, writeRate, writeReadyHead } from './ready-head.ts';
import type { Refusals } from './refusals.ts';

/**
 * The targets that are kept: paths of lower-case letters, digits and `-._~`, and queries of such words. Other spellings
 * of the same target go to Koa, so that clients cannot fill the cache with them.
 */
const PLAIN_TARGET =
  /^(?:\/|(?:\/[a-z0-9._~-]+)+)(?:\?[a-z_]{1,16}=[a-z1-9][a-z0-9_]{0,15}(?:&[a-z_]{1,16}=[a-z1-9][a-z0-9_]{0,15})*)?$/;

/** Characters of the longest target that is kept, and of the longest whose unknown parameters are left out. */
const MAX_TARGET_LENGTH = 256;
const MAX_ASKED_LENGTH = 1_024;

/** Queries that are split as Koa splits them: no fragment, nothing that a parser trims or rewrites. */
const PLAIN_QUERY = /^[\w!$%&'()*+,\-./:;=?@[\]~]*$/;

/** Accept-Encoding values that are remembered for one answer, and characters of the longest of them. */
const MAX_USUAL_VALUES = 16;
const MAX_USUAL_LENGTH = 64;

/**
 * The fast path of public reads, in front of Koa: repeats the answer of a route to the same request target until the board
 * version changes. Limiter, metrics, validators, encodings and headers come from the same functions as in Koa. Requests that
 * the cache cannot decide go to Koa.
 */
export function createResponseCache(
  { clock, board, limiter, turns, clientKey, metrics, hosts }: HttpContext,
  routes: readonly Route<never>[],
  refusals: Pick<Refusals, 'refuse'>,
) {
  const store = new CacheStore(clock);
  const version = (): number => board.view().version;
  const formOf = createFormChoice(PAGE_FORMS);
  const clientAt = ({ socket }: IncomingMessage, { forwardedFor }: CacheHeaders): string =>
    clientKey(socket.remoteAddress, forwardedFor);
  const find = (target: string, request: IncomingMessage, headers: CacheHeaders): CacheEntry | undefined => {
    if (!store.has(target)) return undefined;
    const only = store.find(target, null, version());
    if (only !== undefined) return only;
    const mayRead = (): boolean => limiter.peek('pages', clientAt(request, headers)).allowed;
    const form = formOf(headers.accept, mayRead);
    return form === null ? undefined : store.find(target, form, version());
  };
  const known = new Set(
    routes.filter(({ fastPath }) => fastPath !== undefined).flatMap(({ query }) => Object.keys(query?.shape ?? {})),
  );
  const findAsked = (url: string, request: IncomingMessage, headers: CacheHeaders): CacheEntry | undefined => {
    const target = withoutUnknown(url, known);
    return target === url ? undefined : find(target, request, headers);
  };
  let served = 0;
  return {
    /** Responds and returns true, or leaves the request untouched and returns false. */
    serve(request: IncomingMessage, response: ServerResponse, headers: CacheHeaders): boolean {
      const { method, url } = request;
      if ((method !== 'GET' && method !== 'HEAD') || url === undefined) return false;
      const startedAt = performance.now();
      const entry = find(url, request, headers) ?? findAsked(url, request, headers);
      if (entry === undefined || (entry.host !== null && headers.host !== entry.host)) return false;
      const rate = limiter.take(entry.policy, clientAt(request, headers));
      if (!rate.allowed) {
        refusals.refuse(entry.route, rate, request, response, headers);
        return true;
      }
      turns.served(request.socket);
      const answer = answerFor(entry, headers.acceptEncoding, rate);
      const status = send(method, headers.ifNoneMatch, response, answer, rate);
      served += 1;
      metrics.http.answered(entry.route.operationId, method, status, (performance.now() - startedAt) / 1000);
      return true;
    },
    /** Caches the answer of a route to a target. */
    keep(this: void, route: Route<never>, url: string, answer: RouteResult): void {
      if (answer.kind !== 'ready' || answer.status !== 200 || answer.board !== version()) return;
      const { fastPath, limit } = route;
      const target = withoutUnknown(url, known);
      if (fastPath === undefined || limit === null || !isPublicRead(route) || !isPlain(route, target)) return;
      const form = route.page === true ? pageFormOf(answer.body.mediaType) : null;
      if (route.page === true && form === null) return;
      const host = hosts.hostOf(route.surface);
      store.keep(target, form, answer.board, {
        route,
        policy: limit,
        host,
        answer: { ...answer, headers: { ...answer.headers, ...hosts.transportOf(host) } },
        forMs: fastPath.forMs,
      });
    },
    /** Requests answered so far. */
    served: () => served,
    /** Answers kept at the moment. */
    kept: () => store.size,
  };
}

/**
 * The target without the parameters that no kept route knows, so that links with campaign tags share one entry. Returned
 * unchanged when only Koa can tell: a name with an escape may be a known one.
 */
function withoutUnknown(url: string, known: ReadonlySet<string>): string {
  const at = url.indexOf('?');
  if (at < 0 || url.length > MAX_ASKED_LENGTH || !PLAIN_QUERY.test(url.slice(at + 1))) return url;
  const kept: string[] = [];
  for (const pair of url.slice(at + 1).split('&')) {
    const [name = ''] = pair.split('=', 1);
    if (/[%+]/.test(name)) return url;
    if (known.has(name)) kept.push(pair);
  }
  const path = url.slice(0, at);
  return kept.length === 0 ? path : `${path}?${kept.join('&')}`;
}

/** Whether a target is one of the few usual spellings, all of whose parameters the route reads. */
function isPlain({ query }: Route<never>, target: string): boolean {
  if (target.length > MAX_TARGET_LENGTH || !PLAIN_TARGET.test(target)) return false;
  const [, search] = target.split('?');
  return (
    search === undefined || search.split('&').every((pair) => Object.hasOwn(query?.shape ?? {}, pair.split('=', 1)[0]!))
  );
}

function send(
  method: string,
  ifNoneMatch: string | undefined,
  response: ServerResponse,
  answer: CachedResponse,
  rate: RateDecision,
): number {
  if (matchesTag(ifNoneMatch, answer.tag)) {
    writeRate(answer.notModified, rate);
    response.writeHead(304, answer.notModified.list);
    response.end();
    return 304;
  }
  writeReadyHead(response, answer.head, rate);
  const { body } = answer;
  if (method === 'HEAD') response.end();
  else if (typeof body === 'string') endInOnePiece(response, body);
  else response.end(body);
  return 200;
}

function answerFor(entry: CacheEntry, acceptEncoding: string | undefined, rate: RateDecision): CachedResponse {
  const { route, answer, byCoding, byAcceptEncoding } = entry;
  const usual = byAcceptEncoding.get(acceptEncoding);
  if (usual !== undefined) return usual;
  const coding = chooseCoding(answer.body, acceptEncoding);
  const made = byCoding.get(coding) ?? makeCachedResponse(route, answer, coding, rate);
  byCoding.set(coding, made);
  if (byAcceptEncoding.size < MAX_USUAL_VALUES && (acceptEncoding?.length ?? 0) <= MAX_USUAL_LENGTH) {
    byAcceptEncoding.set(acceptEncoding, made);
  }
  return made;
}
