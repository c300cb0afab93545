import type { IncomingMessage } from 'node:http';
import type { Context } from 'koa';
import { koaBody } from 'koa-body';
import { LIMITS } from '../../config/limits.ts';
import { requireJson } from './media-type.ts';
import { Problem } from './problem.ts';

/** Bytes of a refused body that are read and dropped, so that its sender gets to see the refusal. */
const MAX_DRAINED_BYTES = 1024 * 1024;

// 'binary' keeps each byte as one character: the UTF-8 check is ours, since decoding here would hide bad bytes.
const textReader = (textLimit: number) =>
  koaBody({
    json: false,
    urlencoded: false,
    multipart: false,
    text: true,
    textTypes: ['application/json'],
    textLimit,
    encoding: 'binary',
  });

const readText = textReader(LIMITS.http.bodyBytes);

/**
 * Reads a request's JSON body as bytes, not yet parsed; empty when the request has none. `maxBytes` is for the few
 * routes that take more than the rest.
 *
 * @throws Problem media_type_unsupported, content_encoding_unsupported, body_too_large, request_malformed.
 */
export async function readBody(ctx: Context, maxBytes?: number): Promise<Buffer> {
  if (!hasBody(ctx.req)) return Buffer.alloc(0);
  try {
    requireJson(ctx.req.headers['content-type'], ctx.req.headers['content-encoding']);
    const read = maxBytes === undefined ? readText : textReader(maxBytes);
    await read(ctx, async () => {});
  } catch (error) {
    await drain(ctx.req);
    throw bodyProblem(error);
  }
  const { body } = ctx.request;
  return Buffer.from(typeof body === 'string' ? body : '', 'latin1');
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

/** Reads on without keeping anything until the body ends, fails or passes the limit. */
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
