import type { Context } from 'koa';

/** JSON-RPC's own codes, and two of the range it leaves to servers. */
export const PARSE_ERROR = -32_700;
export const INVALID_REQUEST = -32_600;
export const REFUSED = -32_000;
export const TOO_MANY_REQUESTS = -32_029;

/** Answers with a JSON-RPC error that belongs to no message, under an HTTP status. */
export function sendError(
  ctx: Context,
  status: number,
  code: number,
  message: string,
  data?: Readonly<Record<string, unknown>>,
): void {
  ctx.status = status;
  ctx.set('Cache-Control', 'no-store');
  ctx.body = { jsonrpc: '2.0', error: { code, message, ...(data === undefined ? {} : { data }) }, id: null };
}
