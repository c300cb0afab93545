import { Readable } from 'node:stream';
import { createGunzip } from 'node:zlib';
import type { Outcome, ResultExchange } from './exchange.ts';
import {
  bytesOf,
  chooseCoding,
  entityTag,
  JSON_TYPE,
  matchesTag,
  type Representation,
  takesGzip,
} from './representation.ts';
import type { Route, RouteResult, StreamedResult, WRITTEN } from './route.ts';
import { cacheControl } from './standard-headers.ts';

/** A result that its route does not describe: an internal error, never the client's. */
export class UndocumentedResultError extends Error {
  override readonly name = 'UndocumentedResultError';
}

/** Nothing on the way keeps, compresses or buffers events. */
const EVENTS_HEADERS = {
  'Content-Type': 'text/event-stream',
  'Cache-Control': 'no-store, no-transform',
  'X-Accel-Buffering': 'no',
};

/** JSON is parsed by the route's schema: only described members are sent. @throws UndocumentedResultError, ZodError */
export function finishResult(
  route: Route<never>,
  answer: Exclude<RouteResult, typeof WRITTEN>,
  exchange: ResultExchange,
): Outcome {
  const success = route.successes.find(({ status }) => status === answer.status);
  if (success === undefined) throw new UndocumentedResultError(`${route.operationId} answered ${answer.status}`);
  const given = answer.kind === 'events' ? EVENTS_HEADERS : answer.headers;
  const headers: Record<string, string> = { 'Cache-Control': cacheControl(route.cache), ...given };
  if (answer.kind === 'ready') return finishReady(answer.status, answer.body, headers, exchange);
  if (answer.kind === 'streamed') return finishStreamed(answer, headers, exchange);
  if (answer.kind === 'events') {
    const begin = exchange.method === 'HEAD' ? {} : { begin: answer.begin };
    return { status: answer.status, headers, body: null, code: null, ...begin };
  }
  if (answer.kind === 'empty') return { status: answer.status, headers, body: null, code: null };
  if (success.schema === undefined) throw new UndocumentedResultError(`${route.operationId} has no schema`);
  const text = JSON.stringify(success.schema.parse(answer.body));
  headers['Content-Type'] = JSON_TYPE;
  headers['Content-Length'] = String(Buffer.byteLength(text));
  return { status: answer.status, headers, body: exchange.method === 'HEAD' ? null : text, code: null };
}

/** A stored body is compressed; for clients that do not accept gzip it is decompressed while it is sent. */
function finishStreamed(
  { status, mediaType, gzipped, bytes }: StreamedResult,
  headers: Record<string, string>,
  exchange: ResultExchange,
): Outcome {
  headers['Content-Type'] = mediaType;
  headers['Vary'] = 'Accept-Encoding';
  const isCompressed = takesGzip(exchange.header('accept-encoding'));
  if (isCompressed) {
    headers['Content-Encoding'] = 'gzip';
    headers['Content-Length'] = String(bytes);
  }
  if (exchange.method === 'HEAD') return { status, headers, body: null, code: null };
  const source = Readable.from(gzipped());
  if (isCompressed) return { status, headers, body: null, stream: source, code: null };
  const plain = createGunzip();
  source.once('error', (error) => plain.destroy(error));
  plain.once('close', () => source.destroy());
  return { status, headers, body: null, stream: source.pipe(plain), code: null };
}

function finishReady(
  status: number,
  body: Representation,
  headers: Record<string, string>,
  exchange: ResultExchange,
): Outcome {
  const coding = chooseCoding(body, exchange.header('accept-encoding'));
  const tag = entityTag(body, coding);
  headers['ETag'] = tag;
  headers['Vary'] = headers['Vary'] === undefined ? 'Accept-Encoding' : `${headers['Vary']}, Accept-Encoding`;
  if (status === 200 && matchesTag(exchange.header('if-none-match'), tag)) {
    return { status: 304, headers, body: null, code: null };
  }
  const bytes = bytesOf(body, coding);
  headers['Content-Type'] = body.mediaType;
  headers['Content-Length'] = String(bytes.length);
  if (coding !== 'identity') headers['Content-Encoding'] = coding;
  return { status, headers, body: exchange.method === 'HEAD' ? null : bytes, code: null };
}
