import { once } from 'node:events';
import { createServer, type IncomingMessage, type RequestListener, type Server, type ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';
import { LIMITS } from '../../../config/limits.ts';
import { type CloseReason, type ConnectionBounds, superviseConnections } from './supervise-connections.ts';

/** Bytes of all headers of one request. */
const MAX_HEADER_BYTES = 16 * 1024;

/** Header lines of one request. */
const MAX_HEADERS = 100;

const HTTP_TIMES: HttpTimes = {
  headersMs: LIMITS.http.headersTimeoutMs,
  requestMs: LIMITS.http.requestTimeoutMs,
  keepAliveMs: LIMITS.http.keepAliveTimeoutMs,
  unreadMs: LIMITS.connections.unreadMs,
  checkEveryMs: LIMITS.connections.checkEveryMs,
};

/** Time limits for clients, in milliseconds; tests lower them. */
export type HttpTimes = Readonly<
  Record<'headersMs' | 'requestMs' | 'keepAliveMs' | 'unreadMs' | 'checkEveryMs', number>
>;

interface SupervisedHttpOptions extends Pick<ConnectionBounds, 'maxConnections' | 'perPeer' | 'onClosed'> {
  readonly times?: HttpTimes;
  /** The complete response to bytes that are not a request, and to a request that is too slow or too large. */
  readonly refusal?: () => string;
}

export type SupervisedHttp = ReturnType<typeof createSupervisedHttp>;

/** Error codes of a connection that the client reset or closed during a request. */
const GONE: ReadonlySet<string | undefined> = new Set(['ECONNRESET', 'HPE_INVALID_EOF_STATE']);

const BAD_REQUEST = 'HTTP/1.1 400 Bad Request\r\nContent-Length: 0\r\nConnection: close\r\n\r\n';

/** Creates an HTTP server with limits on requests and connections. It does not listen yet. */
export function createSupervisedHttp(listener: RequestListener, options: SupervisedHttpOptions) {
  const { minBytesPerMs } = LIMITS.connections;
  const { times = HTTP_TIMES, refusal = () => BAD_REQUEST, onClosed } = options;
  const server = createServer({
    maxHeaderSize: MAX_HEADER_BYTES,
    headersTimeout: times.headersMs,
    requestTimeout: times.requestMs,
    keepAliveTimeout: times.keepAliveMs,
    connectionsCheckingInterval: times.checkEveryMs,
    noDelay: true,
  });
  server.maxHeadersCount = MAX_HEADERS;
  const { follow, responseOf } = createResponsesOf();
  // Unknown expectations are ignored: the contract has no 417.
  for (const event of ['request', 'checkExpectation'] as const) server.on(event, follow).on(event, listener);
  const reported = new WeakSet<Duplex>();
  const report = (reason: CloseReason, socket?: Duplex): void => {
    if (socket !== undefined) reported.add(socket);
    onClosed?.(reason);
  };
  server.on('clientError', (error: NodeJS.ErrnoException, socket) => {
    if (!GONE.has(error.code)) report(error.code === 'ERR_HTTP_REQUEST_TIMEOUT' ? 'timeout' : 'malformed', socket);
    // A browser opens connections ahead of use, and would take a refusal for the answer to its next request.
    if (isUnused(socket)) socket.destroy();
    else if (!socket.writable || responseOf(socket)?.headersSent === true) socket.destroy();
    else refuse(socket, refusal);
  });
  server.on('connection', (socket) => {
    socket.once('close', () => {
      const response = responseOf(socket);
      // Events have no end but that their client leaves.
      if (response === null || reported.has(socket) || response.getHeader('content-type') === 'text/event-stream')
        return;
      report('aborted');
    });
  });
  return {
    server,
    connections: superviseConnections(server, { ...options, ...times, minBytesPerMs, onClosed: report }),
    /** Whether a completely received request is being answered on a connection. */
    isAnswering: (socket: Duplex): boolean => responseOf(socket)?.req.complete === true,
  };
}

/** How long a client may take to read its refusal, in milliseconds: an immediate reset would discard it. */
const LINGER_MS = 500;

/** Writes the refusal, then destroys the connection even if the client never closes it. */
function refuse(socket: Duplex, refusal: () => string): void {
  socket.end(refusal(), () => setTimeout(() => socket.destroy(), LINGER_MS).unref());
}

/** Whether nothing was ever received on a connection. */
function isUnused(socket: Duplex): boolean {
  return 'bytesRead' in socket && socket.bytesRead === 0;
}

/** The responses of each connection from their requests until they are sent or the connection is lost, in order. */
function createResponsesOf() {
  const pending = new WeakMap<Duplex, Set<ServerResponse>>();
  return {
    follow(this: void, { socket }: IncomingMessage, response: ServerResponse): void {
      const responses = pending.get(socket) ?? new Set();
      pending.set(socket, responses.add(response));
      response.once('close', () => responses.delete(response));
    },
    /** The response in progress on a connection. */
    responseOf: (socket: Duplex): ServerResponse | null => pending.get(socket)?.values().next().value ?? null,
  };
}

/** Listens, on any free port where 0 is asked for; returns the port. @throws the listener's error, such as EADDRINUSE. */
export async function listenOn(server: Server, to: { readonly host: string; readonly port: number }): Promise<number> {
  server.listen({ host: to.host, port: to.port });
  await once(server, 'listening');
  const address = server.address();
  return typeof address === 'object' && address !== null ? address.port : to.port;
}

/** Stops listening and closes every connection without waiting. */
export function closeServer(server: Server): Promise<void> {
  return new Promise((resolve) => {
    server.close(() => resolve());
    server.closeAllConnections();
  });
}
