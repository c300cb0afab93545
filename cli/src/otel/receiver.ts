import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { gunzipSync } from 'node:zlib';
import { CliError, reasonOf } from '../cli-error.ts';
import { createAdder, type MetricSums } from './day-sums.ts';
import { type CollectedMetrics, readMetrics, updateMetrics } from './metrics-file.ts';
import { ENCODINGS, parseMetrics } from './metrics-request.ts';
import { isTokenMetric } from './token-metrics.ts';

/** Bytes of a request, also after decompression. Those of AI tools have some kilobytes. */
const MAX_BODY_BYTES = 4 * 1024 * 1024;
const MAX_CONNECTIONS = 64;
const REQUEST_TIMEOUT_MS = 10_000;
/** Received metrics are written at most this often, in milliseconds. */
const WRITE_EVERY_MS = 2_000;

export interface Receiver extends AsyncDisposable {
  readonly port: number;
  /** Writes what was received until now. */
  readonly flush: () => Promise<void>;
}

/**
 * Receives metrics by OTLP over HTTP, on this machine only, and adds their tokens to the sums of the settings folder until it
 * is closed; port 0 is a free one. Logs and traces, which some tools send to the same address, are read and dropped. Throws a `network` error when
 * the port is taken.
 */
export async function startReceiver(configDir: string, port: number, now: () => number): Promise<Receiver> {
  const collector = await openCollector(configDir, now);
  const server = createServer({ requestTimeout: REQUEST_TIMEOUT_MS }, (request, response) => {
    // A client that goes away in the middle ends the reading of its request with an error.
    void receive(request, (body, encoding) => collector.add(body, encoding))
      .catch(() => 400)
      .then((status) => respond(request, response, status));
  });
  server.maxConnections = MAX_CONNECTIONS;
  await listen(server, port);
  const timer = setInterval(() => void collector.flush().catch(() => undefined), WRITE_EVERY_MS);
  timer.unref();
  const address = server.address();
  return {
    port: typeof address === 'object' && address !== null ? address.port : port,
    flush: () => collector.flush(),
    async [Symbol.asyncDispose]() {
      clearInterval(timer);
      server.close();
      server.closeAllConnections();
      await collector.flush();
    },
  };
}

/** Sums in memory, which only this process changes, and their file. */
async function openCollector(configDir: string, now: () => number) {
  let collected = await readMetrics(configDir);
  let sums = sumsOf(collected);
  let addPoints = createAdder(sums, now);
  let receivedAt: number | null = null;
  return {
    add(body: Buffer, encoding: keyof typeof ENCODINGS): boolean {
      const points = parseMetrics(body, encoding, isTokenMetric);
      if (points !== null && addPoints(points) > 0) receivedAt = now();
      return points !== null;
    },
    async flush(): Promise<void> {
      if (receivedAt === null) return;
      const at = receivedAt;
      receivedAt = null;
      await updateMetrics(configDir, (stored) => {
        if (stored !== null && stored.id === collected?.id) return { ...stored, ...sums, received_at: at };
        // The user has ended collecting in the meantime, and may have begun again: what was received before is deleted.
        collected = stored;
        sums = sumsOf(stored);
        addPoints = createAdder(sums, now);
        return null;
      });
    },
  };
}

function sumsOf(collected: CollectedMetrics | null): MetricSums {
  return { days: collected?.days ?? {}, series: collected?.series ?? {} };
}

/** Reads a request; returns the status of the response. */
async function receive(
  request: IncomingMessage,
  add: (body: Buffer, encoding: keyof typeof ENCODINGS) => boolean,
): Promise<number> {
  // Pages in a browser on this machine have an origin, or the name of their host.
  if (request.headers.origin !== undefined || !isOwnHost(request)) return 403;
  if (request.method !== 'POST') return 405;
  if (request.url === '/v1/logs' || request.url === '/v1/traces') return drain(request);
  if (request.url !== '/v1/metrics') return 404;
  const encoding = encodingOf(request);
  if (encoding === null) return 415;
  const body = await readBody(request);
  if (body === null) return 413;
  return body !== 'damaged' && add(body, encoding) ? 200 : 400;
}

function isOwnHost({ headers: { host }, socket: { localPort: port } }: IncomingMessage): boolean {
  return host === `127.0.0.1:${port}` || host === `localhost:${port}`;
}

function encodingOf({ headers }: IncomingMessage): keyof typeof ENCODINGS | null {
  const [type = ''] = (headers['content-type'] ?? '').split(';');
  const known = Object.keys(ENCODINGS).find((name) => name === type.trim().toLowerCase());
  return known === 'application/json' || known === 'application/x-protobuf' ? known : null;
}

async function drain(request: IncomingMessage): Promise<number> {
  for await (const _part of request);
  return 200;
}

/** The body, decompressed; null when it is too large. */
async function readBody(request: IncomingMessage): Promise<Buffer | 'damaged' | null> {
  const parts: Buffer[] = [];
  let bytes = 0;
  try {
    for await (const part of request) {
      if (!Buffer.isBuffer(part)) return 'damaged';
      bytes += part.length;
      // Read to the end, so that the client gets a response.
      if (bytes <= MAX_BODY_BYTES) parts.push(part);
    }
    if (bytes > MAX_BODY_BYTES) return null;
    const body = Buffer.concat(parts);
    if (request.headers['content-encoding'] !== 'gzip') return body;
    return gunzipSync(body, { maxOutputLength: MAX_BODY_BYTES });
  } catch (error) {
    return reasonOf(error) === 'ERR_BUFFER_TOO_LARGE' ? null : 'damaged';
  }
}

/** An empty message, in the encoding of the request. */
function respond(request: IncomingMessage, response: ServerResponse, status: number): void {
  const isJson = encodingOf(request) !== 'application/x-protobuf';
  const type = isJson ? 'application/json' : 'application/x-protobuf';
  response.writeHead(status, { 'content-type': type, ...(request.complete ? {} : { connection: 'close' }) });
  response.end(isJson ? '{}' : '');
}

async function listen(server: Server, port: number): Promise<void> {
  try {
    await new Promise<void>((resolve, reject) => {
      server.once('error', reject);
      server.listen(port, '127.0.0.1', resolve);
    });
  } catch (error) {
    const message = `metrics cannot be received on port ${port}: ${reasonOf(error)}`;
    const hint = 'Another upsilon watch may receive them. Else use another port: upsilon otel enable --port PORT';
    throw new CliError('network', 'port_unavailable', message, hint);
  }
}
