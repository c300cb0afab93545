import { type NodeIncomingMessageLike, toNodeHandler } from '@modelcontextprotocol/node';
import { createMcpHandler, type McpServer } from '@modelcontextprotocol/server';
import type { Context, Middleware } from 'koa';
import { LIMITS } from '../../config/limits.ts';
import type { Logger } from '../../ops/runtime/telemetry/index.ts';
import { type ClientKey, clientOf } from '../http/client-key.ts';
import { ANSWERED_BY } from '../http/koa-adapter.ts';
import { asProblem, type Problem } from '../http/problem.ts';
import type { RateDecision, RateLimiter } from '../http/rate-limit/rate-limiter.ts';
import { readBody } from '../http/read-body.ts';
import { addSecurityHeaders, CONTENT_SIGNAL } from '../http/standard-headers.ts';
import { parseStrictJson } from '../http/strict-json/parse-strict-json.ts';
import { createCallGate } from './call-gate.ts';
import { allowOrigin, PREFLIGHT } from './cors.ts';
import { createMcpServer } from './create-mcp-server.ts';
import { createGuard, type GuardAddresses } from './guard.ts';
import { MCP_PATH } from './manifest.ts';
import { INVALID_REQUEST, PARSE_ERROR, REFUSED, sendError, TOO_MANY_REQUESTS } from './rpc-error.ts';
import type { ToolBoard } from './tool.ts';

/** Messages in one request, under the protocol revisions that have batches. */
const MAX_BATCH = 10;

/** Levels of JSON in a message. */
const MAX_DEPTH = 24;

/** Open event streams; the list of tools changes only with a release, so they carry no events. */
const MAX_SUBSCRIPTIONS = 64;

export interface McpOptions {
  readonly addresses: GuardAddresses;
  readonly board: ToolBoard;
  readonly limiter: RateLimiter;
  readonly clientKey: ClientKey;
  readonly logger: Pick<Logger, 'error'>;
  /** Replaces the server of the board: the conformance suite expects its own tools. */
  readonly createServer?: () => McpServer;
}

/** The MCP endpoint over Streamable HTTP. Every request is answered by itself; nothing is kept between two. */
export interface McpEndpoint {
  readonly middleware: Middleware;
  /** Ends open event streams, which would keep the server from closing. Later requests are still served. */
  endStreams(): Promise<void>;
  /** Ends open event streams and serves no further requests. */
  close(): Promise<void>;
}

/** Makes the endpoint at `MCP_PATH` below the website's address. Goes before the routers. */
export function serveMcp(options: McpOptions): McpEndpoint {
  const { addresses, board, limiter, clientKey, logger } = options;
  const guard = createGuard(addresses);
  const path = `${new URL(addresses.siteUrl).pathname.replace(/\/$/, '')}${MCP_PATH}`;
  const onFault = (tool: string, error: unknown): void => logger.error({ err: error, tool }, 'a tool failed');
  const onerror = (error: Error): void => logger.error({ err: error }, 'the MCP endpoint failed');
  const bounds = { maxRequestBodySize: LIMITS.http.bodyBytes };
  const gate = createCallGate();
  const { createServer = () => createMcpServer({ board, gate, onFault }) } = options;
  const makeHandler = () => createMcpHandler(createServer, { maxSubscriptions: MAX_SUBSCRIPTIONS, ...bounds });
  let handler = makeHandler();
  const answer = toNodeHandler({ fetch: (request, about) => handler.fetch(request, about) }, { onerror, ...bounds });

  async function serve(ctx: Context): Promise<void> {
    const client = clientOf(ctx.req, clientKey);
    const take = (): RateDecision => limiter.take('public', client);
    const first = take();
    const headers = { ...first.headers, 'Cache-Control': 'no-store', 'Content-Signal': CONTENT_SIGNAL };
    addSecurityHeaders(headers);
    ctx.set(headers);
    if (!first.allowed) return sendTooMany(ctx, first);
    if (ctx.method === 'OPTIONS') {
      ctx.status = 204;
      ctx.set(PREFLIGHT);
      return;
    }
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
      if (refused !== undefined) return sendTooMany(ctx, refused);
    }
    // The SDK writes the answer itself, with the headers set so far.
    ctx.respond = false;
    await answer(requestOf(ctx), ctx.res, message);
  }

  return {
    async middleware(ctx, next) {
      if (ctx.path !== path) return next();
      const origin = ctx.get('origin') || undefined;
      const verdict = guard(ctx.get('host') || undefined, origin);
      if (verdict.kind === 'elsewhere') return next();
      ctx.state[ANSWERED_BY] = 'mcp';
      if (verdict.kind === 'refuse') return sendError(ctx, 403, REFUSED, verdict.message);
      allowOrigin(ctx, origin);
      return serve(ctx);
    },
    async endStreams() {
      // A closed handler would answer each later request with an internal error.
      const former = handler;
      handler = makeHandler();
      await former.close();
    },
    close: () => handler.close(),
  };
}

/** What the SDK looks at of a request; its body was read before. */
function requestOf({ req }: Context): NodeIncomingMessageLike {
  const { method = 'GET', url = '/', headers } = req;
  return { method, url, headers, [Symbol.asyncIterator]: () => req[Symbol.asyncIterator]() };
}

/** The message or batch in a request's body; null when it was refused, which has been answered. */
async function readMessage(ctx: Context): Promise<{ readonly message: unknown } | null> {
  try {
    return { message: parseStrictJson(await readBody(ctx), MAX_DEPTH) };
  } catch (error) {
    const problem = asProblem(error);
    if (problem.status >= 500) throw error;
    ctx.set({ ...problem.occurrence.headers });
    sendError(
      ctx,
      statusOf(problem),
      problem.code.startsWith('json_') ? PARSE_ERROR : INVALID_REQUEST,
      problem.message,
    );
    return null;
  }
}

/** The transport's own statuses, where it has some. */
function statusOf({ code }: Problem): number {
  if (code === 'body_too_large') return 413;
  return code === 'media_type_unsupported' || code === 'content_encoding_unsupported' ? 415 : 400;
}

function sendTooMany(ctx: Context, { resetSeconds, headers }: RateDecision): void {
  ctx.set({ ...headers, 'Retry-After': String(resetSeconds) });
  const message = `The quota is used up; it resets in ${resetSeconds} s. Call again then.`;
  sendError(ctx, 429, TOO_MANY_REQUESTS, message, { retry_after_seconds: resetSeconds });
}
