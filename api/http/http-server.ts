import type { IncomingMessage, RequestListener } from 'node:http';
import { Server as NetServer } from 'node:net';
import { setImmediate as afterPoll, setTimeout as pause } from 'node:timers/promises';
import type { Config } from '../../config/config.ts';
import { LIMITS } from '../../config/limits.ts';
import {
  createPeerKey,
  createSupervisedHttp,
  type HttpTimes,
  type SupervisedHttp,
} from '../../ops/runtime/connections/index.ts';
import type { HttpMetrics } from '../../ops/runtime/telemetry/index.ts';
import { INSTANCE, newInstance, Problem, problemBody } from './problem.ts';

/** Requests after which a connection is closed, so that load spreads over processes again. */
const MAX_REQUESTS_PER_CONNECTION = 10_000;

export interface HttpServerOptions extends Pick<Config, 'siteUrl' | 'trustedProxies' | 'connectionsPerAddress'> {
  readonly metrics?: Pick<HttpMetrics, 'connectionClosed'>;
  readonly times?: HttpTimes;
}

/** Makes the server of the api, with every limit set. It does not listen yet. */
export function createHttpServer(listener: RequestListener, options: HttpServerOptions): SupervisedHttp {
  const { siteUrl, trustedProxies, connectionsPerAddress, metrics, times } = options;
  const refusal = prepareRefusal(siteUrl);
  const checked: RequestListener = (request, response) => {
    if (!isAmbiguous(request)) return listener(request, response);
    response.writeHead(400, REFUSAL_HEADERS).end(refusal.body());
  };
  const supervised = createSupervisedHttp(checked, {
    maxConnections: LIMITS.connections.ofApi,
    perPeer: { max: connectionsPerAddress, keyOf: createPeerKey(trustedProxies) },
    refusal: refusal.response,
    ...(times === undefined ? {} : { times }),
    ...(metrics === undefined ? {} : { onClosed: (reason) => metrics.connectionClosed(reason) }),
  });
  supervised.server.maxRequestsPerSocket = MAX_REQUESTS_PER_CONNECTION;
  return supervised;
}

/** Whether `Host` headers and target state two hosts: a proxy in front may have gone by the other one (RFC 9112, 3.2). */
function isAmbiguous({ rawHeaders, url = '', headers: { host = '' } }: IncomingMessage): boolean {
  let hosts = 0;
  for (let at = 0; at < rawHeaders.length; at += 2) {
    const name = rawHeaders[at]!;
    if (name.length === 4 && name.toLowerCase() === 'host') hosts += 1;
  }
  if (hosts > 1) return true;
  if (url.startsWith('/') || url === '*') return false;
  if (!URL.canParse(url)) return true;
  const target = new URL(url);
  const stated = `${target.protocol}//${host}`;
  return !URL.canParse(stated) || new URL(stated).host !== target.host;
}

const REFUSAL_HEADERS = {
  'Content-Type': 'application/problem+json; charset=utf-8',
  'Cache-Control': 'no-store',
  Connection: 'close',
};

/** Prepares the answer to bytes that are no HTTP request, and to a request that is too slow, too large or ambiguous: whole, and its body. */
function prepareRefusal(siteUrl: string): Readonly<Record<'response' | 'body', () => string>> {
  const text = JSON.stringify(problemBody(new Problem('request_malformed'), siteUrl));
  const body = (): string => text.replace(INSTANCE, newInstance());
  const headers = Object.entries(REFUSAL_HEADERS).map(([name, value]) => `${name}: ${value}\r\n`);
  const response = (): string => {
    const made = body();
    return `HTTP/1.1 400 Bad Request\r\n${headers.join('')}Content-Length: ${Buffer.byteLength(made)}\r\n\r\n${made}`;
  };
  return { response, body };
}

/** How often connections that have become idle are looked for while a server closes, in milliseconds. */
const IDLE_CHECK_MS = 50;

/** How long a server that closes takes requests of the connections it has, in milliseconds. */
const LAST_REQUESTS_MS = 3_000;

/** The parts behind a closing server. */
export interface Drainable {
  /** Answers requests that only wait. Other requests continue. */
  releaseWaiters(): void;
  /** Refuses new requests, and writes accepted ones. */
  drain(): Promise<void>;
}

/**
 * Stops listening, and resolves when every connection is closed. A connection closes with its next response, which has
 * `Connection: close`. Idle connections close after `idleGraceMs`, so that a client about to use one gets a response in place
 * of a reset. Requests incomplete after `lastRequestsMs`, and responses that no client reads, are cut off.
 */
export async function closeHttpServer(
  { server, connections, isAnswering }: SupervisedHttp,
  behind: Drainable,
  idleGraceMs = 0,
  lastRequestsMs = LAST_REQUESTS_MS,
): Promise<void> {
  const closed = new Promise<void>((resolve) => {
    server.once('close', resolve);
  });
  server.prependListener('request', (_request, response) => {
    response.shouldKeepAlive = false;
  });
  // A server of http closes idle connections at once; one of net does no more than stop listening.
  NetServer.prototype.close.call(server);
  behind.releaseWaiters();
  await Promise.race([closed, pause(idleGraceMs)]);
  // A request that has arrived but was not read yet does not keep its connection from being idle.
  await afterPoll();
  server.close();
  // A connection that answers its last request now stays open for the next one, which is not to come.
  const idleCheck = setInterval(() => void afterPoll().then(() => server.closeIdleConnections()), IDLE_CHECK_MS);
  const lastRequestsTimer = new AbortController();
  await Promise.race([closed, pause(lastRequestsMs, null, { signal: lastRequestsTimer.signal }).catch(() => null)]);
  lastRequestsTimer.abort();
  await behind.drain();
  const cut = setInterval(() => connections.destroyExcept(isAnswering, lastRequestsMs), IDLE_CHECK_MS);
  await closed;
  clearInterval(idleCheck);
  clearInterval(cut);
}
