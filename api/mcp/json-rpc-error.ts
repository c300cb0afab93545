import { secondsText } from '../../config/units.ts';
import type { ProblemCode } from '../../engine/contract/index.ts';
import type { ErrorForm } from '../http/error-forms.ts';
import type { Problem } from '../http/problem.ts';
import { JSON_TYPE } from '../http/representation.ts';
import { addSecurityHeaders, CONTENT_SIGNAL } from '../http/standard-headers.ts';

/** JSON-RPC's own codes, and two of the range it leaves to servers. */
const PARSE_ERROR = -32_700;
export const INVALID_REQUEST = -32_600;
const INTERNAL_ERROR = -32_603;
export const REFUSED = -32_000;
const TOO_MANY_REQUESTS = -32_029;

/** Any page may use the endpoint: its tools are public. A token only names who a request counts for. */
export const MCP_CORS = {
  'Access-Control-Allow-Origin': '*',
  'Access-Control-Expose-Headers':
    'MCP-Protocol-Version, Retry-After, RateLimit, RateLimit-Policy, RateLimit-Limit, RateLimit-Remaining, RateLimit-Reset',
};

export const MCP_REQUEST_HEADERS =
  'Accept, Authorization, Content-Type, Last-Event-ID, MCP-Protocol-Version, Mcp-Method, Mcp-Name, Mcp-Session-Id';

/** The headers of every response of the endpoint. */
export const JSON_RPC_HEADERS: Readonly<Record<string, string>> = { ...MCP_CORS, ...usualHeaders() };

function usualHeaders(): Record<string, string> {
  const headers = { 'Cache-Control': 'no-store', 'Content-Signal': CONTENT_SIGNAL };
  addSecurityHeaders(headers);
  return headers;
}

/** HTTP statuses that differ from those of the API. */
const STATUSES: Readonly<Partial<Record<ProblemCode, number>>> = {
  body_too_large: 413,
  media_type_unsupported: 415,
  content_encoding_unsupported: 415,
};

/** Errors as JSON-RPC has them, which belong to no message. */
export const jsonRpcError: ErrorForm = (problem) => {
  const body = jsonRpcBody(...errorOf(problem));
  const headers = {
    'Content-Type': JSON_TYPE,
    'Content-Length': String(Buffer.byteLength(body)),
    ...problem.occurrence.headers,
  };
  return { status: STATUSES[problem.code] ?? problem.status, headers, body, code: problem.code };
};

export function jsonRpcBody(code: number, message: string, data?: Readonly<Record<string, unknown>>): string {
  const error = { code, message, ...(data === undefined ? {} : { data }) };
  return JSON.stringify({ jsonrpc: '2.0', error, id: null });
}

function errorOf({ code, status, message, occurrence }: Problem): Parameters<typeof jsonRpcBody> {
  if (code === 'rate_limited') {
    const seconds = Number(occurrence.headers?.['Retry-After']);
    const text = `Too many requests. Call again in ${secondsText(seconds)}.`;
    return [TOO_MANY_REQUESTS, text, { retry_after_seconds: seconds }];
  }
  if (code === 'method_not_allowed') return [REFUSED, 'Method not allowed.'];
  if (code.startsWith('json_')) return [PARSE_ERROR, message];
  return [status >= 500 ? INTERNAL_ERROR : INVALID_REQUEST, message];
}
