import type { IncomingMessage } from 'node:http';
import { type NodeIncomingMessageLike, toNodeHandler } from '@modelcontextprotocol/node';
import {
  createMcpHandler,
  localhostAllowedHostnames,
  type McpServer,
  validateHostHeader,
} from '@modelcontextprotocol/server';
import type { Context, Next } from 'koa';
import { LIMITS } from '../../config/limits.ts';
import { secondsText } from '../../config/units.ts';
import type { ProblemCode } from '../../engine/contract/index.ts';
import type { Logger } from '../../ops/runtime/telemetry/index.ts';
import { type ClientKey, clientOf } from '../http/client-key.ts';
import type { Outcome } from '../http/exchange.ts';
import type { Addresses } from '../http/hosts.ts';
import type { HttpContext } from '../http/http-context.ts';
import { ANSWERED_BY, send } from '../http/koa-adapter.ts';
import { asProblem } from '../http/problem.ts';
import type { RateDecision, RateLimiter } from '../http/rate-limit/rate-limiter.ts';
import { readBody } from '../http/read-body.ts';
import { JSON_TYPE } from '../http/representation.ts';
import { addSecurityHeaders, CONTENT_SIGNAL } from '../http/standard-headers.ts';
import { parseStrictJson } from '../http/strict-json.ts';
import { createCallGate } from './call-gate.ts';
import { createMcpServer } from './create-mcp-server.ts';
import { MCP_PATH } from './discovery-routes.ts';
import type { ToolBoard } from './tools/tool.ts';

/** Messages in one request, under the protocol revisions that have batches. */
const MAX_BATCH = 10;

/** Levels of JSON in a message. */
const MAX_DEPTH = 24;

/** The name of the endpoint in the metrics. */
const ROUTE = 'mcp';

/** Open event streams; the list of tools changes only with a release, so they carry no events. */
const MAX_SUBSCRIPTIONS = 64;

/** Any page may use the endpoint: its tools are public. A token only names who a request counts for. */
const CORS = {
  'Access-Control-Allow-Origin': '*',
  'Access-Control-Expose-Headers':
    'MCP-Protocol-Version, Retry-After, RateLimit, RateLimit-Policy, RateLimit-Limit, RateLimit-Remaining, RateLimit-Reset',
};

/** Seconds a browser may remember a preflight. */
const PREFLIGHT_MAX_AGE = 86_400;

/** Headers of the response to a preflight. */
const PREFLIGHT = {
  'Access-Control-Allow-Methods': 'POST, OPTIONS',
  'Access-Control-Allow-Headers':
    'Accept, Authorization, Content-Type, Last-Event-ID, MCP-Protocol-Version, Mcp-Method, Mcp-Name, Mcp-Session-Id',
  'Access-Control-Max-Age': String(PREFLIGHT_MAX_AGE),
};

/** JSON-RPC's own codes, and two of the range it leaves to servers. */
const PARSE_ERROR = -32_700;
const INVALID_REQUEST = -32_600;
const REFUSED = -32_000;
const TOO_MANY_REQUESTS = -32_029;

/** HTTP statuses of problems with a body; 400 for the others. */
const STATUSES: Readonly<Partial<Record<ProblemCode, number>>> = {
  body_too_large: 413,
  media_type_unsupported: 415,
  content_encoding_unsupported: 415,
};

export interface McpOptions {
  readonly addresses: Addresses;
  readonly board: ToolBoard;
  readonly limiter: RateLimiter;
  readonly clientKey: ClientKey;
  readonly authenticator: Pick<HttpContext['authenticator'], 'authenticate' | 'verifies'>;
  readonly logger: Pick<Logger, 'error'>;
  /** Whether the premium routes are offered. */
  readonly sellsReports?: boolean;
  /** Replaces the server of the board: the conformance suite expects other tools. */
  readonly createServer?: () => McpServer;
}

/**
 * Makes the MCP endpoint over Streamable HTTP, at `MCP_PATH` below the website's address; it goes before the routers. No
 * state is kept between requests.
 */
export function serveMcp(options: McpOptions) {
  const { addresses, board, limiter, logger } = options;
  const guard = createGuard(addresses);
  const path = `${new URL(addresses.siteUrl).pathname.replace(/\/$/, '')}${MCP_PATH}`;
  const onFault = (tool: string, error: unknown): void => logger.error({ err: error, tool }, 'a tool failed');
  const onerror = (error: Error): void => logger.error({ err: error }, 'the MCP endpoint failed');
  const bounds = { maxRequestBodySize: LIMITS.http.bodyBytes };
  const gate = createCallGate();
  const { createServer = () => createMcpServer(board, gate, onFault, options.sellsReports) } = options;
  const makeHandler = () => createMcpHandler(createServer, { maxSubscriptions: MAX_SUBSCRIPTIONS, ...bounds });
  let handler = makeHandler();
  const answer = toNodeHandler({ fetch: (request, about) => handler.fetch(request, about) }, { onerror, ...bounds });

  async function serve(ctx: Context, refusal: string | null): Promise<void> {
    const client = await callerOf(ctx.req, options);
    const take = (): RateDecision => limiter.take('mcp', client);
    const first = take();
    if (!first.allowed) return send(ctx, ROUTE, tooMany(first));
    ctx.set(headersOf(first));
    if (refusal !== null) return sendError(ctx, 403, REFUSED, refusal);
    ctx.set(CORS);
    if (respondsToMethod(ctx)) return;
    const read = ctx.method === 'POST' ? await readMessage(ctx) : { message: undefined };
    if (read === null) return;
    const { message } = read;
    if (Array.isArray(message)) {
      if (message.length > MAX_BATCH) {
        return sendError(ctx, 400, INVALID_REQUEST, `A batch may contain at most ${MAX_BATCH} messages.`);
      }
      // Each message of a batch counts as one request.
      const decisions = message.slice(1).map(take);
      ctx.set({ ...decisions.at(-1)?.headers });
      const refused = decisions.find(({ allowed }) => !allowed);
      if (refused !== undefined) return send(ctx, ROUTE, tooMany(refused));
    }
    // The SDK writes the response itself, with the headers set so far.
    ctx.respond = false;
    await answer(requestOf(ctx), ctx.res, message);
  }

  return {
    middleware: async (ctx: Context, next: Next): Promise<void> => {
      if (ctx.path !== path) return next();
      const refusal = guard(ctx.host || undefined);
      if (refusal === ELSEWHERE) return next();
      ctx.state[ANSWERED_BY] = ROUTE;
      return serve(ctx, refusal);
    },
    /** Ends open event streams, which would keep the server from closing. Later requests are still served. */
    async endStreams(): Promise<void> {
      // A closed handler would return an internal error for each later request.
      const former = handler;
      handler = makeHandler();
      await former.close();
    },
    /** Ends open event streams and serves no further requests. */
    close: () => handler.close(),
  };
}

/** Responds to the methods that the SDK does not take: a preflight, and TRACE, for which its Request throws. */
function respondsToMethod(ctx: Context): boolean {
  if (ctx.method === 'OPTIONS') {
    ctx.status = 204;
    ctx.set(PREFLIGHT);
  } else if (ctx.method === 'TRACE') {
    ctx.set('Allow', 'POST');
    sendError(ctx, 405, REFUSED, 'Method not allowed.');
  } else return false;
  return true;
}

/** Who a request counts for: the operator of a valid token, else the client address. Bad tokens count as failures, too. */
async function callerOf(
  request: IncomingMessage,
  { authenticator, clientKey, limiter }: Pick<McpOptions, 'authenticator' | 'clientKey' | 'limiter'>,
): Promise<string> {
  const { authorization } = request.headers;
  const client = clientOf(request, clientKey);
  if (authorization === undefined) return client;
  try {
    const isTried = limiter.peek('failures', client).allowed || (await authenticator.verifies(authorization));
    return isTried ? String((await authenticator.authenticate(authorization)).operator) : client;
  } catch (error) {
    if (asProblem(error).status < 500) limiter.take('failures', client);
    return client;
  }
}

/** The members of a request that the SDK reads; its body was read before. */
function requestOf({ req }: Context): NodeIncomingMessageLike {
  const { method = 'GET', url = '/', headers } = req;
  return { method, url, headers, [Symbol.asyncIterator]: () => req[Symbol.asyncIterator]() };
}

/** The message or batch in a request's body; null when it was refused, and the error was sent. */
async function readMessage(ctx: Context): Promise<{ readonly message: unknown } | null> {
  try {
    return { message: parseStrictJson(await readBody(ctx), MAX_DEPTH) };
  } catch (error) {
    const problem = asProblem(error);
    if (problem.status >= 500) throw error;
    ctx.set({ ...problem.occurrence.headers });
    const code = problem.code.startsWith('json_') ? PARSE_ERROR : INVALID_REQUEST;
    sendError(ctx, STATUSES[problem.code] ?? 400, code, problem.message);
    return null;
  }
}

/** The headers of every response within the endpoint. */
function headersOf({ headers: quota }: RateDecision): Record<string, string> {
  const headers = { ...quota, 'Cache-Control': 'no-store', 'Content-Signal': CONTENT_SIGNAL };
  addSecurityHeaders(headers);
  return headers;
}

function tooMany(rate: RateDecision): Outcome {
  const { resetSeconds } = rate;
  const message = `Too many requests. Call again in ${secondsText(resetSeconds)}.`;
  const outcome = errorOutcome(429, TOO_MANY_REQUESTS, message, { data: { retry_after_seconds: resetSeconds } });
  Object.assign(outcome.headers, CORS, headersOf(rate), { 'Retry-After': String(resetSeconds) });
  return outcome;
}

function sendError(ctx: Context, status: number, code: number, message: string): void {
  send(ctx, ROUTE, errorOutcome(status, code, message));
}

/** A JSON-RPC error that belongs to no message, with an HTTP status. */
function errorOutcome(
  status: number,
  code: number,
  message: string,
  data?: { readonly data: Readonly<Record<string, unknown>> },
): Outcome {
  const body = Buffer.from(JSON.stringify({ jsonrpc: '2.0', error: { code, message, ...data }, id: null }));
  const headers = { 'Cache-Control': 'no-store', 'Content-Type': JSON_TYPE, 'Content-Length': String(body.length) };
  return { status, headers, body, code: null };
}

const ELSEWHERE = 'elsewhere';

/**
 * Makes the check against DNS rebinding: a page whose host name resolves to this server sends that name as Host. Allowed are
 * the configured names and those of localhost. Returns null for an allowed request, `ELSEWHERE` for the host of another
 * surface, which has no MCP endpoint, or the reason for a refusal.
 */
function createGuard({ siteUrl, loginUrl, baseUrl, authUrl }: Addresses) {
  const hosts = [hostnameOf(siteUrl), ...localhostAllowedHostnames()];
  const elsewhere = [loginUrl, baseUrl, authUrl].map(hostnameOf).filter((hostname) => !hosts.includes(hostname));
  return (host: string | undefined): string | null => {
    if (validateHostHeader(host, hosts).ok) return null;
    return validateHostHeader(host, elsewhere).ok ? ELSEWHERE : 'The Host header is not a host of this service.';
  };
}

function hostnameOf(url: string): string {
  return new URL(url).hostname;
}
