import { CliError } from '../cli-error.ts';
import { VERSION } from '../version.ts';
import { isSafeAddress } from './web-address.ts';

/** The longest one request may take, answer included, in milliseconds. */
const REQUEST_TIMEOUT_MS = 20_000;

/** The longest answer that is read, in bytes. */
const MAX_ANSWER_BYTES = 1024 * 1024;

/** A request as it goes out. `body` is sent byte for byte. */
export interface HttpRequest {
  readonly method: 'GET' | 'POST' | 'DELETE';
  readonly url: string;
  /** Null: the request carries none. */
  readonly token: string | null;
  readonly body?: string | undefined;
  /** The body is a form; else it is JSON. */
  readonly form?: boolean | undefined;
  /** Headers beside the usual ones, or in their place. */
  readonly headers?: Readonly<Record<string, string>> | undefined;
}

/** An answer: `body` is its JSON value, undefined when it held none. */
export interface HttpAnswer {
  readonly status: number;
  readonly headers: Headers;
  readonly body: unknown;
  readonly text: string;
}

const FORM = 'application/x-www-form-urlencoded';

/** No answer came: the service is unreachable, too slow, or broke off. Worth another try. */
export class NoResponseError extends Error {}

/** The headers of a request. */
export function requestHeaders(request: HttpRequest): Readonly<Record<string, string>> {
  return {
    accept: 'application/json, application/problem+json',
    ...(request.token === null ? {} : { authorization: `Bearer ${request.token}` }),
    ...(request.body === undefined ? {} : { 'content-type': request.form === true ? FORM : 'application/json' }),
    'user-agent': `upsilon/${VERSION}`,
    ...request.headers,
  };
}

/**
 * Sends one request. Throws `NoResponseError`, or a `CliError` for a redirect, which is never followed, and for a token or a form
 * (of OAuth, which holds secrets) that would leave the machine unencrypted.
 */
export async function exchange(request: HttpRequest, timeoutMs = REQUEST_TIMEOUT_MS): Promise<HttpAnswer> {
  if ((request.token !== null || request.form === true) && !isSafeAddress(request.url)) {
    const message = `${request.url} is not encrypted: anyone on the network path could read your sign-in`;
    throw new CliError('network', 'not_encrypted', message, 'Nothing was sent. Use an https address as --base-url.');
  }
  let response: Response;
  let text: string;
  try {
    response = await fetch(request.url, {
      method: request.method,
      headers: requestHeaders(request),
      ...(request.body === undefined ? {} : { body: request.body }),
      redirect: 'manual',
      signal: AbortSignal.timeout(timeoutMs),
    });
    text = await readBounded(response);
  } catch (error) {
    throw new NoResponseError(describeFailure(error, timeoutMs));
  }
  if (response.status >= 300 && response.status < 400) {
    const location = response.headers.get('location');
    const isAddress = location !== null && URL.canParse(location, request.url);
    // As a URL it holds no control characters.
    const target = isAddress ? new URL(location, request.url).href : 'an unnamed address';
    throw new CliError(
      'network',
      'redirected',
      `${request.url} redirects to ${target}`,
      'If you trust that address, name it with --base-url: the access token is never sent along a redirect.',
    );
  }
  return { status: response.status, headers: response.headers, body: parseJson(text), text };
}

async function readBounded(response: Response): Promise<string> {
  if (response.body === null) return '';
  const parts: Uint8Array[] = [];
  let size = 0;
  for await (const part of response.body) {
    size += part.length;
    if (size > MAX_ANSWER_BYTES) throw new Error('the answer is too long');
    parts.push(part);
  }
  return Buffer.concat(parts).toString('utf8');
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** `fetch` hides what happened in `cause`, and in `errors` when several addresses were tried. */
function describeFailure(error: unknown, timeoutMs: number): string {
  if (!(error instanceof Error)) return String(error);
  if (error.name === 'TimeoutError') return `no answer within ${timeoutMs / 1000} seconds`;
  const cause: unknown = error.cause;
  const code = typeof cause === 'object' && cause !== null && 'code' in cause ? cause.code : undefined;
  if (typeof code === 'string') return CONNECTION_FAILURES[code] ?? code;
  return cause instanceof Error ? cause.message : error.message;
}

const CONNECTION_FAILURES: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'nothing listens there',
  ENOTFOUND: 'there is no such host',
  EAI_AGAIN: 'the host name cannot be looked up (offline?)',
  ECONNRESET: 'the connection broke',
  UND_ERR_SOCKET: 'the connection broke',
  UND_ERR_CONNECT_TIMEOUT: 'the connection took too long',
  ENETUNREACH: 'the network cannot be reached (offline?)',
};
