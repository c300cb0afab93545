import { LIMITS } from '../../config/limits.ts';
import { secondsText } from '../../config/units.ts';
import type { ProblemCode } from '../../engine/contract/index.ts';
import { problemJson, problemPage } from './error-forms.ts';
import type { Exchange, Outcome, ResultExchange } from './exchange.ts';
import { finishResult } from './finish-result.ts';
import type { HttpContext } from './http-context.ts';
import { asProblem, newInstance, Problem } from './problem.ts';
import type { RateDecision } from './rate-limit/rate-limiter.ts';
import { readQuery, refuseTokenInQuery } from './read-query.ts';
import { type Caller, NO_QUERY, problemsOf, type Route, type RouteResult } from './route.ts';
import { addSecurityHeaders, CONTENT_SIGNAL, CORS_HEADERS, deprecationHeaders } from './standard-headers.ts';
import { parseStrictJson } from './strict-json.ts';
import { parseBody } from './validation-items.ts';

/**
 * Runs one request through a route, in this order: token, limit, `before`, path, query, body, handler, check of the answer. An error
 * becomes a response in the route's form; only one while a library writes the response is thrown. Null: the response is written.
 * Calls `onResult` with an answer that passed the check.
 */
export async function executeRoute<C extends HttpContext>(
  route: Route<C>,
  exchange: Exchange,
  ctx: C,
  onResult?: (answer: RouteResult) => void,
): Promise<Outcome | null> {
  const gate: Gate = { rate: null };
  const { koa } = exchange;
  try {
    const needsToken = route.auth === 'operator' || route.auth === 'optional';
    const caller = needsToken ? await authenticate(route, exchange, ctx, gate) : null;
    admit(route, caller, exchange, ctx, gate);
    await route.before?.({ ctx, caller });
    const params = readParams(route, exchange);
    const query = readSelection(route, exchange.search);
    const body = route.body && (await readInput(route.body, exchange));
    if (route.headers !== undefined) koa.set({ ...route.headers, ...gate.rate?.headers });
    const { method, search, header, client } = exchange;
    const countMore = (requests: number): void => {
      for (let counted = 0; counted < requests; counted++) takeLimits(gate, route, keyOf(caller, client), ctx.limiter);
      koa.set({ ...gate.rate?.headers });
    };
    const call = { ctx, caller, method, search, header, client, countMore, koa };
    const answer = await route.handle({ params, query, body }, call);
    if (answer.kind === 'written') return null;
    const outcome = finishResult(route, answer, exchange);
    onResult?.(answer);
    addStandardHeaders(outcome.headers, route, gate.rate);
    return outcome;
  } catch (error) {
    if (koa.respond === false) throw error;
    return finishProblem(route, asProblem(error), exchange, ctx, gate.rate);
  }
}

/** Adds the headers that every answer of a route has. */
export function addStandardHeaders(
  headers: Record<string, string>,
  route: Route<never>,
  rate: Pick<RateDecision, 'headers'> | null,
): void {
  addRouteHeaders(headers, route);
  addSecurityHeaders(headers);
  Object.assign(headers, rate?.headers, deprecationHeaders(route.deprecation));
  if (isForAnyPage(route)) Object.assign(headers, CORS_HEADERS);
  if (isOfWebsite(route)) headers['Content-Signal'] = CONTENT_SIGNAL;
}

/** Adds the headers of a route that an outcome does not have. */
export function addRouteHeaders(headers: Record<string, string>, { headers: own = {} }: Route<never>): void {
  for (const [name, value] of Object.entries(own)) headers[name] ??= value;
}

/** Content signals cover the site, its pages on other hosts, and the files that every page needs; not sign-in. */
function isOfWebsite({ surface, page, auth }: Route<never>): boolean {
  if (auth === 'handler') return false;
  return surface === 'site' || surface === 'every' || page === true;
}

/** A read without a token, which any page and any cache may make. */
export function isPublicRead(route: Pick<Route<never>, 'method' | 'auth'>): boolean {
  return route.method === 'get' && route.auth === 'public';
}

/** Whether pages of any origin may use a route: it reads what is public, or takes a token, which no browser adds by itself. */
export function isForAnyPage(route: Pick<Route<never>, 'method' | 'auth'>): boolean {
  const { method, auth } = route;
  return auth === 'operator' || (method === 'get' && (auth === 'public' || auth === 'optional'));
}

/** The problem of a client that used up its quota. */
export function rateLimited(decision: Pick<RateDecision, 'resetSeconds'>): Problem {
  return new Problem('rate_limited', {
    detail: `You have made too many requests. Try again in ${secondsText(decision.resetSeconds)}.`,
    headers: { 'Retry-After': String(decision.resetSeconds) },
  });
}

interface Gate {
  /** The decision of the last policy that was checked. */
  rate: RateDecision | null;
}

/** The text by which requests are counted: the operator's number, or without a caller the client. */
function keyOf(caller: Caller | null, client: string): string {
  return caller === null ? client : String(caller.operator);
}

/** Counts a request under the policies of its route, and checks the app of its caller. */
function admit(
  route: Route<never>,
  caller: Caller | null,
  { client }: Exchange,
  { limiter }: Pick<HttpContext, 'limiter'>,
  gate: Gate,
): void {
  takeLimits(gate, route, keyOf(caller, client), limiter);
  if (route.officialClientsOnly === true && caller?.usesOfficialClient !== true) {
    throw new Problem('client_not_allowed', {
      detail: 'The token was issued to an app other than the official command-line tool.',
    });
  }
}

/** The caller of a request; null where a token is optional and there is no valid one. */
async function authenticate(
  route: Route<never>,
  exchange: Exchange,
  { authenticator, limiter }: Pick<HttpContext, 'authenticator' | 'limiter'>,
  gate: Gate,
): Promise<Caller | null> {
  const authorization = exchange.header('authorization');
  const isOptional = route.auth === 'optional';
  if (isOptional && authorization === undefined) return null;
  // Bad tokens use up the quota of failures of their address, but do not block good tokens from the same address.
  const failures = limiter.peek('failures', exchange.client);
  gate.rate = failures;
  try {
    if (!failures.allowed && !(await authenticator.verifies(authorization))) throw rateLimited(failures);
    const caller = await authenticator.authenticate(authorization, route.automation);
    if (!isOptional) refuseTokenInQuery(exchange.search);
    return caller;
  } catch (error) {
    if (failures.allowed && asProblem(error).status < 500) gate.rate = limiter.take('failures', exchange.client);
    if (isOptional) return null;
    throw error;
  }
}

/** Counts a request under the policies of a route, unless one of them refuses. The response describes the first. */
function takeLimits(
  gate: Gate,
  { limit, alsoLimit }: Route<never>,
  client: string,
  { take, peek }: HttpContext['limiter'],
): void {
  if (limit === null) return;
  if (alsoLimit !== undefined) {
    for (const policy of [limit, alsoLimit]) refuseOver(gate, peek(policy, client));
    take(alsoLimit, client);
  }
  refuseOver(gate, take(limit, client));
}

function refuseOver(gate: Gate, decision: RateDecision): void {
  gate.rate = decision;
  if (!decision.allowed) throw rateLimited(decision);
}

function readSelection(route: Route<never>, search: string): Record<string, unknown> {
  const { query = NO_QUERY, selects = false } = route;
  if (selects) return readQuery(search, query, 'but_selections');
  return route.query === undefined ? {} : readQuery(search, query, isPublicRead(route) ? 'ignore' : 'refuse');
}

function readParams(route: Route<never>, exchange: Exchange): Record<string, unknown> {
  if (route.params === undefined) return {};
  const parsed = route.params.schema.safeParse(exchange.params);
  if (!parsed.success) throw new Problem(route.params.unmatched);
  return parsed.data;
}

async function readInput(body: NonNullable<Route<never>['body']>, exchange: Exchange): Promise<unknown> {
  if (body.form === true) return readForm(exchange);
  const bytes = await exchange.readBody('application/json', body.raw?.maxBytes);
  if (body.raw !== undefined) return parseBody(bytes, body.schema);
  if (bytes.length === 0 && !body.required) return undefined;
  return parseBody(parseStrictJson(bytes, body.maxDepth ?? LIMITS.http.jsonDepth), body.schema);
}

/** A body that is no form is treated as a form without fields: its sender did not use a page of this service. */
async function readForm({ readBody }: Exchange): Promise<URLSearchParams | null> {
  try {
    return new URLSearchParams((await readBody('application/x-www-form-urlencoded')).toString('utf8'));
  } catch (error) {
    if (asProblem(error).code === 'request_malformed') throw error;
    return null;
  }
}

/** The response of a route to a request that ended in a problem. */
function finishProblem(
  route: Route<never>,
  problem: Problem,
  exchange: ResultExchange,
  ctx: HttpContext,
  rate: RateDecision | null,
): Outcome {
  const instance = newInstance();
  const listed: readonly ProblemCode[] = problemsOf(route);
  // Subscriptions that their operators began to set up and did not finish: only the log says so.
  const isUnfinished = problem.code === 'billing_not_configured' && problem.cause !== undefined;
  if (problem.status >= 500 || isUnfinished || !listed.includes(problem.code)) {
    const fields = { err: problem.cause ?? problem, route: route.operationId, instance, code: problem.code };
    ctx.log.error(fields, 'request failed with an internal error');
  }
  ctx.metrics.http.refused(problem.code);
  const form = route.errors ?? (route.page === true ? problemPage : problemJson);
  const outcome = form(problem, exchange, ctx, instance);
  addStandardHeaders(outcome.headers, route, rate);
  return outcome;
}
