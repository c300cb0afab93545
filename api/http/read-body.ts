import type { IncomingHttpHeaders, IncomingMessage } from 'node:http';
import type { Context } from 'koa';
import { koaBody } from 'koa-body';
import { LIMITS } from '../../config/limits.ts';
import type { BodyType } from './exchange.ts';
import { Problem } from './problem.ts';

/** Bytes of a refused body that are read and discarded, so that its sender receives the refusal. */
const MAX_DRAINED_BYTES = 1024 * 1024;

// 'binary' keeps each byte as one character: decoding here would hide malformed UTF-8 from the check in `parseStrictJson`.
const textReader = (textLimit: number) =>
  koaBody({
    json: false,
    urlencoded: false,
    multipart: false,
    text: true,
    textTypes: ['application/json', 'application/x-www-form-urlencoded'],
    textLimit,
    encoding: 'binary',
  });

const readText = textReader(LIMITS.http.bodyBytes);

/**
 * Reads a request's body as bytes, not yet parsed; empty when the request has none. @throws Problem media_type_unsupported,
 * content_encoding_unsupported, body_too_large, request_malformed.
 */
export async function readBody(ctx: Context, type: BodyType, maxBytes?: number): Promise<Buffer> {
  if (!hasBody(ctx.req)) return Buffer.alloc(0);
  try {
    requireType(ctx.req.headers, type);
    const read = maxBytes === undefined ? readText : textReader(maxBytes);
    await read(ctx, async () => {});
  } catch (error) {
    await drain(ctx.req);
    throw bodyProblem(error);
  }
  const { body } = ctx.request;
  return Buffer.from(typeof body === 'string' ? body : '', 'latin1');
}

/** Accepts the type in identity encoding, JSON alone or as UTF-8. @throws Problem media_type_unsupported, content_encoding_unsupported. */
function requireType(headers: IncomingHttpHeaders, wanted: BodyType): void {
  if (!isIdentity(headers['content-encoding'])) throw new Problem('content_encoding_unsupported');
  const [type = '', ...parameters] = (headers['content-type'] ?? '').toLowerCase().split(';');
  const isUtf8 = parameters.every((parameter) => /^(charset=("utf-8"|utf-8))?$/.test(parameter.trim()));
  if (type.trim() !== wanted || (wanted === 'application/json' && !isUtf8)) throw new Problem('media_type_unsupported');
}

function isIdentity(contentEncoding: string | undefined): boolean {
  return contentEncoding === undefined || contentEncoding.toLowerCase() === 'identity';
}

function hasBody(request: IncomingMessage): boolean {
  const length = request.headers['content-length'];
  return request.headers['transfer-encoding'] !== undefined || (length !== undefined && Number(length) > 0);
}

function bodyProblem(error: unknown): Problem {
  const headers = { Connection: 'close' };
  if (error instanceof Problem) return new Problem(error.code, { ...error.occurrence, headers });
  const type = error instanceof Error && 'type' in error ? error.type : undefined;
  const code = type === 'entity.too.large' ? 'body_too_large' : 'request_malformed';
  return new Problem(code, { headers, cause: error });
}

/** Reads and discards the rest of the body, until it ends, fails or exceeds the limit. */
async function drain(request: IncomingMessage): Promise<void> {
  if (request.readableEnded || request.destroyed) return;
  await new Promise<void>((resolve) => {
    let drained = 0;
    const done = (): void => {
      request.pause();
      request.removeAllListeners('data');
      resolve();
    };
    request.once('end', done).once('close', done).once('error', done);
    request.on('data', (chunk: Buffer) => {
      drained += chunk.length;
      if (drained > MAX_DRAINED_BYTES) done();
    });
    request.resume();
  });
}
