import { createServer, type RequestListener, type Server } from 'node:http';
import type { Duplex } from 'node:stream';
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

/** Stops listening, lets requests under way end (`drain` may hurry them), and waits until every connection is closed. */
export async function closeHttpServer(server: Server, drain: () => Promise<void>): Promise<void> {
  const closed = new Promise<void>((resolve) => {
    server.close(() => resolve());
  });
  // A connection that answers its last request now stays open for the next one, which is not to come.
  const sweep = setInterval(() => server.closeIdleConnections(), IDLE_SWEEP_MS);
  await drain();
  await closed;
  clearInterval(sweep);
}
