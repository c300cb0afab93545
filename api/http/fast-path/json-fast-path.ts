import type { IncomingMessage, ServerResponse } from 'node:http';
import { LIMITS } from '../../../config/limits.ts';
import { MS_PER_SECOND } from '../../../config/units.ts';
import { clientOf } from '../client-key.ts';
import { exchangeOf, type Outcome } from '../exchange.ts';
import { executeRoute } from '../execute-route.ts';
import type { HttpContext } from '../http-context.ts';
import { isJson } from '../read-body.ts';
import type { Route } from '../route.ts';
import { createHeadWriter, endInOnePiece } from './ready-head.ts';

interface Target<C> {
  readonly route: Route<C>;
  /** The host that alone answers; null when every host does. */
  readonly host: string | null;
}

/**
 * The fast path of submissions, in front of Koa: JSON bodies with Content-Length to operations with a token. The route is
 * executed as in Koa; only reading the request and writing the response are shorter. All other requests go to Koa.
 */
export function createJsonFastPath<C extends HttpContext>(routes: readonly Route<C>[], ctx: C) {
  const { hosts, clientKey, limiter, metrics } = ctx;
  const targets = targetsOf(routes, ctx);
  const writeHead = createHeadWriter();
  let served = 0;

  function send(response: ServerResponse, { status, headers, body }: Outcome): void {
    if (response.destroyed || response.writableEnded) return;
    if (body === null) {
      response.writeHead(status, headers).end();
      return;
    }
    writeHead(response, status, headers);
    endInOnePiece(response, body.toString('latin1'));
  }

  async function answer(
    { route, host }: Target<C>,
    client: string,
    request: IncomingMessage,
    response: ServerResponse,
  ): Promise<void> {
    const startedAt = performance.now();
    const chunks = await readChunks(request);
    // The client went away while it was sending.
    if (chunks === null) return;
    const readBody = (): Promise<Buffer> => Promise.resolve(takeBody(chunks));
    const exchange = exchangeOf(request, { path: request.url ?? '', search: '', params: {}, client, readBody });
    const outcome = await executeRoute(route, exchange, ctx);
    Object.assign(outcome.headers, hosts.transportOf(host));
    send(response, outcome);
    metrics.http.answered(route.operationId, 'POST', outcome.status, (performance.now() - startedAt) / MS_PER_SECOND);
  }

  return {
    /** Handles the request and returns true, or leaves it untouched and returns false. */
    serve(request: IncomingMessage, response: ServerResponse): boolean {
      if (request.method !== 'POST' || request.url === undefined) return false;
      const target = targets.get(request.url);
      if (target === undefined || !isPlain(request, target.host)) return false;
      const client = clientOf(request, clientKey);
      // Of an address with too many rejected tokens, the refusals look at the token before the body is read.
      if (!limiter.peek('failures', client).allowed) return false;
      served += 1;
      void answer(target, client, request, response);
      return true;
    },
    /** Requests taken over so far. */
    served: () => served,
  };
}

/** Operations that take a token and a JSON body, by the one request target that each has. */
function targetsOf<C>(routes: readonly Route<C>[], { hosts }: HttpContext): ReadonlyMap<string, Target<C>> {
  const targets = new Map<string, Target<C>>();
  for (const route of routes) {
    const { method, auth, body, params, surface } = route;
    if (method !== 'post' || auth !== 'operator' || body?.required !== true || params !== undefined) continue;
    targets.set(hosts.pathOf(route), { route, host: hosts.hostOf(surface) });
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

/** The chunks of a body of known length; null when it is incomplete. */
function readChunks(request: IncomingMessage): Promise<Buffer[] | null> {
  return new Promise((resolve) => {
    if (request.destroyed) resolve(null);
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => resolve(chunks));
    request.on('error', () => resolve(null));
    // Node reports to its hooks, at some cost, when a promise is resolved again.
    request.on('close', () => {
      if (!request.readableEnded) resolve(null);
    });
  });
}

/** The whole body. Empties the list: a request that waits for its verdict does not keep the bytes. */
function takeBody(chunks: Buffer[]): Buffer {
  const body = chunks.length === 1 ? chunks[0]! : Buffer.concat(chunks);
  chunks.length = 0;
  return body;
}
