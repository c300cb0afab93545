import type { IncomingMessage, ServerResponse } from 'node:http';
import { LIMITS } from '../../../config/limits.ts';
import type { HttpMetrics } from '../../../ops/runtime/telemetry/index.ts';
import { type ClientKey, clientOf } from '../client-key.ts';
import type { Exchange, Outcome } from '../exchange.ts';
import { executeRoute, type RouteEnvironment } from '../execute-route.ts';
import { isJson } from '../media-type.ts';
import type { Route, SurfaceUrls } from '../route.ts';
import type { TransportHeaders } from '../standard-headers.ts';

export interface JsonFastPathOptions<S> {
  readonly routes: readonly Route<S>[];
  readonly surfaces: SurfaceUrls;
  readonly environment: RouteEnvironment<S>;
  readonly clientKey: ClientKey;
  readonly transport: TransportHeaders;
  readonly metrics: HttpMetrics;
}

/**
 * The fast path of submissions, in front of Koa: JSON bodies with Content-Length to operations with a token. The route is
 * executed as in Koa; only reading the request and writing the response are shorter. All other requests go to Koa.
 */
export interface JsonFastPath {
  /** Handles the request and returns true, or leaves it untouched and returns false. */
  serve(request: IncomingMessage, response: ServerResponse): boolean;
  /** Requests taken over so far. */
  served(): number;
}

interface Target<S> {
  readonly route: Route<S>;
  /** The host that alone answers; null when every host does. */
  readonly host: string | null;
}

export function createJsonFastPath<S>(options: JsonFastPathOptions<S>): JsonFastPath {
  const { environment, clientKey, transport, metrics } = options;
  const targets = targetsOf(options);
  let served = 0;

  async function answer({ route, host }: Target<S>, request: IncomingMessage, response: ServerResponse): Promise<void> {
    const startedAt = performance.now();
    const body = await readBody(request);
    // The client went away while it was sending.
    if (body === null) return;
    const outcome = await executeRoute(route, exchangeOf(request, body, clientKey), environment);
    Object.assign(outcome.headers, transport(host));
    send(response, outcome);
    metrics.answered(route.operationId, 'POST', outcome.status, (performance.now() - startedAt) / 1000);
  }

  return {
    serve(request, response) {
      if (request.method !== 'POST' || request.url === undefined) return false;
      const target = targets.get(request.url);
      if (target === undefined || !isPlain(request, target.host)) return false;
      served += 1;
      void answer(target, request, response);
      return true;
    },
    served: () => served,
  };
}

/** Operations that take a token and a JSON body, by the one request target that each has. */
function targetsOf<S>({ routes, surfaces }: JsonFastPathOptions<S>): ReadonlyMap<string, Target<S>> {
  const hosts = new Set(Object.values(surfaces).map((address) => new URL(address).host));
  const targets = new Map<string, Target<S>>();
  for (const route of routes) {
    const { method, auth, body, params, surface } = route;
    if (method !== 'post' || auth !== 'operator' || body?.required !== true || params !== undefined) continue;
    if (surface === 'every') continue;
    const { host, pathname } = new URL(surfaces[surface]);
    targets.set(`${pathname.replace(/\/$/, '')}${route.path}`, { route, host: hosts.size > 1 ? host : null });
  }
  return targets;
}

/** Whether a request's framing, host and media type leave nothing to decide. */
function isPlain({ headers }: IncomingMessage, host: string | null): boolean {
  const length = Number(headers['content-length'] ?? 0);
  return (
    length > 0 &&
    length <= LIMITS.http.bodyBytes &&
    headers['transfer-encoding'] === undefined &&
    (host === null || headers.host === host) &&
    isJson(headers['content-type'], headers['content-encoding'])
  );
}

/** A body of known length; null when it is incomplete. */
function readBody(request: IncomingMessage): Promise<Buffer | null> {
  return new Promise((resolve) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => resolve(chunks.length === 1 ? (chunks[0] ?? null) : Buffer.concat(chunks)));
    request.on('error', () => resolve(null));
    request.on('close', () => resolve(null));
  });
}

function exchangeOf(request: IncomingMessage, body: Buffer, clientKey: ClientKey): Exchange {
  const { headers, url = '' } = request;
  return {
    method: 'POST',
    path: url,
    search: '',
    params: {},
    header: (name) => {
      const value = headers[name];
      return typeof value === 'string' ? value : value?.join(', ');
    },
    client: clientOf(request, clientKey),
    readBody: () => Promise.resolve(body),
  };
}

function send(response: ServerResponse, { status, headers, body }: Outcome): void {
  if (response.destroyed || response.writableEnded) return;
  response.writeHead(status, headers);
  // Text of one byte a character goes out in one piece with the head; a buffer would be a second piece.
  if (body === null) response.end();
  else response.end(body.toString('latin1'), 'latin1');
}
