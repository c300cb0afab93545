import { createServer, type RequestListener, type Server } from 'node:http';
import { Server as NetServer } from 'node:net';
import type { Duplex } from 'node:stream';
import { setTimeout as pause } from 'node:timers/promises';
import { LIMITS } from '../../config/limits.ts';
import { Problem, problemBody } from './problem.ts';

/** Bytes of all headers of one request. */
const MAX_HEADER_BYTES = 16 * 1024;

/** Header lines of one request. */
const MAX_HEADERS = 100;

/** Requests after which a connection is closed, so that clients spread anew over processes now and then. */
const MAX_REQUESTS_PER_CONNECTION = 10_000;

/** Connections one process holds at once. */
const MAX_CONNECTIONS = 10_000;

/** Makes the server of the api, with every limit set. It does not listen yet. */
export function createHttpServer(listener: RequestListener, siteUrl: string): Server {
  const server = createServer(
    {
      maxHeaderSize: MAX_HEADER_BYTES,
      headersTimeout: LIMITS.http.headersTimeoutMs,
      requestTimeout: LIMITS.http.requestTimeoutMs,
      keepAliveTimeout: LIMITS.http.keepAliveTimeoutMs,
      noDelay: true,
    },
    listener,
  );
  server.maxHeadersCount = MAX_HEADERS;
  server.maxRequestsPerSocket = MAX_REQUESTS_PER_CONNECTION;
  server.maxConnections = MAX_CONNECTIONS;
  // An expectation that is not known is none: the contract has no 417.
  server.on('checkExpectation', listener);
  server.on('clientError', (_error, socket) => refuse(socket, siteUrl));
  return server;
}

/** Answers bytes that are no HTTP request, or one that is too slow or too large to be read, and hangs up. */
function refuse(socket: Duplex, siteUrl: string): void {
  if (!socket.writable) {
    socket.destroy();
    return;
  }
  const body = JSON.stringify(problemBody(new Problem('request_malformed'), siteUrl));
  socket.end(
    'HTTP/1.1 400 Bad Request\r\nContent-Type: application/problem+json; charset=utf-8\r\n' +
      `Content-Length: ${Buffer.byteLength(body)}\r\nCache-Control: no-store\r\nConnection: close\r\n\r\n${body}`,
  );
}

/** How often connections that have become idle are looked for while a server closes, in milliseconds. */
const IDLE_SWEEP_MS = 50;

/** How long a server that closes takes requests of the connections it has, in milliseconds. */
const LAST_REQUESTS_MS = 3_000;

/** What is behind a server that closes. */
export interface Drainable {
  /** Lets requests that only wait go with what is known. Others go on being served. */
  hurry(): Promise<void>;
  /** Refuses what comes from now on, and puts away what was taken. */
  drain(): Promise<void>;
}

/**
 * Stops listening, and waits until every connection is closed. Requests under way end, and so does a connection with its
 * next answer, which says so. One that is idle is closed after `idleGraceMs`: whoever was just about to use it gets that
 * answer in place of a reset.
 */
export async function closeHttpServer(server: Server, behind: Drainable, idleGraceMs = 0): Promise<void> {
  const closed = new Promise<void>((resolve) => {
    server.once('close', resolve);
  });
  server.prependListener('request', (_request, response) => {
    response.shouldKeepAlive = false;
  });
  // A server of http closes idle connections at once; one of net does no more than stop listening.
  NetServer.prototype.close.call(server);
  await behind.hurry();
  await Promise.race([closed, pause(idleGraceMs)]);
  server.close();
  // A connection that answers its last request now stays open for the next one, which is not to come.
  const sweep = setInterval(() => server.closeIdleConnections(), IDLE_SWEEP_MS);
  const patience = new AbortController();
  await Promise.race([closed, pause(LAST_REQUESTS_MS, null, { signal: patience.signal }).catch(() => null)]);
  patience.abort();
  await behind.drain();
  await closed;
  clearInterval(sweep);
}
