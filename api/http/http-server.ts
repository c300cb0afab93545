import type { RequestListener } from 'node:http';
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
  const supervised = createSupervisedHttp(listener, {
    maxConnections: LIMITS.connections.ofApi,
    perPeer: { max: connectionsPerAddress, keyOf: createPeerKey(trustedProxies) },
    refusal: prepareRefusal(siteUrl),
    ...(times === undefined ? {} : { times }),
    ...(metrics === undefined ? {} : { onClosed: (reason) => metrics.connectionClosed(reason) }),
  });
  supervised.server.maxRequestsPerSocket = MAX_REQUESTS_PER_CONNECTION;
  return supervised;
}

/** Prepares the answer to bytes that are no HTTP request, and to a request that is too slow or too large to be read. */
function prepareRefusal(siteUrl: string): () => string {
  const body = JSON.stringify(problemBody(new Problem('request_malformed'), siteUrl));
  const text =
    'HTTP/1.1 400 Bad Request\r\nContent-Type: application/problem+json; charset=utf-8\r\n' +
    `Content-Length: ${Buffer.byteLength(body)}\r\nCache-Control: no-store\r\nConnection: close\r\n\r\n${body}`;
  const [start, end = ''] = text.split(INSTANCE);
  return () => `${start}${newInstance()}${end}`;
}

/** How often connections that have become idle are looked for while a server closes, in milliseconds. */
const IDLE_CHECK_MS = 50;

/** How long a server that closes takes requests of the connections it has, in milliseconds. */
const LAST_REQUESTS_MS = 3_000;

/** The parts behind a closing server. */
export interface Drainable {
  /** Answers requests that only wait. Other requests continue. */
  releaseWaiters(): Promise<void>;
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
  await behind.releaseWaiters();
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
