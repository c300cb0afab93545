import { type NodeIncomingMessageLike, toNodeHandler } from '@modelcontextprotocol/node';
import {
  createMcpHandler,
  localhostAllowedHostnames,
  type McpServerFactory,
  validateHostHeader,
} from '@modelcontextprotocol/server';
import { bulkhead } from 'cockatiel';
import type { Context } from 'koa';
import * as z from 'zod';
import { LIMITS } from '../../config/limits.ts';
import { MCP_PATH } from '../../engine/contract/index.ts';
import type { Clock } from '../../engine/ranking/index.ts';
import type { Logger } from '../../ops/runtime/telemetry/index.ts';
import type { Addresses } from '../http/hosts.ts';
import type { HttpContext } from '../http/http-context.ts';
import { JSON_TYPE } from '../http/representation.ts';
import { type Route, routesFor, WRITTEN, WRITTEN_ROUTE } from '../http/route.ts';
import { readerOf } from '../members/leagues.ts';
import type { createLeagueReads } from '../v1/leagues/get-league-board.ts';
import { createMcpServer } from './create-mcp-server.ts';
import {
  INVALID_REQUEST,
  JSON_RPC_HEADERS,
  jsonRpcBody,
  jsonRpcError,
  MCP_CORS,
  MCP_REQUEST_HEADERS,
  REFUSED,
} from './json-rpc-error.ts';
import { createPreparedCalls } from './prepared-calls.ts';
import type { ToolBoard } from './tools/tool.ts';

const defineRoute = routesFor<HttpContext>();

/** Messages in one request, under the protocol revisions that have batches. */
const MAX_BATCH = 10;

/** Levels of JSON in a message. */
const MAX_DEPTH = 24;

/** Calls of tools that run at a time, in order of arrival, and that wait: this bounds the load of all clients, as rate limits do that of one. */
const MAX_RUNNING = 8;
const MAX_WAITING = 64;

export interface McpOptions {
  readonly addresses: Addresses;
  readonly board: Omit<ToolBoard, 'leagueBoard'>;
  readonly logger: Pick<Logger, 'error'>;
  readonly clock: Clock;
  /** Reads boards of leagues for an operator, null for anybody. Without it there are none. */
  readonly leagueBoard?: ReturnType<typeof createLeagueReads>;
  /** Whether the premium routes are offered. */
  readonly sellsReports?: boolean;
  /** Replaces the server of the board: the conformance suite expects other tools. */
  readonly createServer?: McpServerFactory;
}

/** Makes the MCP endpoint over Streamable HTTP, at `MCP_PATH` below the website's address. No state is kept between requests. */
export function serveMcp(options: McpOptions) {
  const { addresses, board, logger, clock, sellsReports } = options;
  const refusalOf = createGuard(addresses);
  const onFault = (tool: string, error: unknown): void => logger.error({ err: error, tool }, 'a tool failed');
  const onerror = (error: Error): void => logger.error({ err: error }, 'the MCP endpoint failed');
  const bounds = { maxRequestBodySize: LIMITS.http.bodyBytes };
  const gate = bulkhead(MAX_RUNNING, MAX_WAITING);
  const { createServer = ({ authInfo }) => createMcpServer(boardFor(options, authInfo), gate, onFault, sellsReports) } =
    options;
  // The list of tools changes only with a release, so the SDK ends event streams at once.
  const handler = createMcpHandler(createServer, bounds);
  const prepare = createPreparedCalls({ generation: () => board.view().generation, clock });
  const readDirectly = ({ req }: Context, parsedBody: unknown): Promise<Response> => {
    const headers = new Headers(headersOf(req));
    return handler.fetch(new Request(`${addresses.siteUrl}${MCP_PATH}`, { method: 'POST', headers, body: '{}' }), {
      parsedBody,
    });
  };
  const answer = toNodeHandler(handler, { onerror, ...bounds });
  const route: Route<HttpContext> = defineRoute({
    ...WRITTEN_ROUTE,
    method: 'post',
    surface: 'every',
    path: `${new URL(addresses.siteUrl).pathname.replace(/\/$/, '')}${MCP_PATH}`,
    slash: true,
    operationId: 'mcp',
    auth: 'optional',
    limit: 'mcp',
    headers: JSON_RPC_HEADERS,
    preflight: MCP_REQUEST_HEADERS,
    errors: jsonRpcError,
    body: { schema: z.unknown(), required: true, maxDepth: MAX_DEPTH },
    exists: ({ host }) => refusalOf(host) !== ELSEWHERE,
    async handle({ body: message }, { caller, koa, countMore }) {
      const refusal = refusalOf(koa.host);
      if (refusal !== null) return refuse(koa, 403, refusal);
      if (Array.isArray(message)) {
        if (message.length > MAX_BATCH) return refuse(koa, 400, `A batch may contain at most ${MAX_BATCH} messages.`);
        // Each message of a batch counts as one request.
        countMore(message.length - 1);
      }
      const prepared = await prepare(message, headersOf(koa.req), (asked) => readDirectly(koa, asked));
      if (prepared !== null) {
        koa.set(prepared.headers);
        koa.status = prepared.status;
        koa.body = prepared.body;
        return WRITTEN;
      }
      // The SDK writes the response itself, with the headers set so far.
      koa.respond = false;
      await answer(requestOf(koa, readerOf(caller)), koa.res, message);
      return WRITTEN;
    },
  });
  return {
    route,
    /** Serves no further requests. */
    close: () => handler.close(),
  };
}

/** What tools read for the operator whose leagues a request may read. */
function boardFor(
  { board, leagueBoard = async () => null }: McpOptions,
  authInfo: { readonly extra?: Readonly<Record<string, unknown>> } | undefined,
): ToolBoard {
  const reader = authInfo?.extra?.['reader'];
  const operator = typeof reader === 'number' ? reader : null;
  return { ...board, leagueBoard: (slug, asked) => leagueBoard(slug, operator, asked) };
}

/** The members of a request that the SDK reads, and whose leagues it may read; its body was read before. */
function requestOf({ req }: Context, reader: number | null) {
  const { method = 'GET', url = '/', headers } = req;
  return {
    method,
    url,
    headers: { ...headers, accept: acceptOf(headers.accept) },
    [Symbol.asyncIterator]: () => req[Symbol.asyncIterator](),
    auth: { token: '', clientId: '', scopes: [], extra: { reader } },
  } satisfies NodeIncomingMessageLike;
}

/** The headers that the SDK reads. */
const READ_HEADERS = [
  'content-type',
  'mcp-protocol-version',
  'mcp-method',
  'mcp-name',
  'mcp-session-id',
  'last-event-id',
];

function headersOf({ headers }: Context['req']): Record<string, string> {
  const read = READ_HEADERS.flatMap((name) => (headers[name] === undefined ? [] : [[name, String(headers[name])]]));
  return { ...Object.fromEntries(read), accept: acceptOf(headers.accept) };
}

/** The SDK wants both media types by name; a client that accepts any type, or says nothing, accepts both. */
function acceptOf(accept = '*/*'): string {
  return /(?:^|,)\s*\*\/\*/.test(accept) ? 'application/json, text/event-stream' : accept;
}

/** Responds with an error that is of this endpoint alone. No page of another origin may read that its host is refused. */
function refuse(koa: Context, status: 400 | 403, message: string): typeof WRITTEN {
  if (status === 403) for (const name of Object.keys(MCP_CORS)) koa.remove(name);
  koa.status = status;
  koa.set('Content-Type', JSON_TYPE);
  koa.body = jsonRpcBody(status === 403 ? REFUSED : INVALID_REQUEST, message);
  return WRITTEN;
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
