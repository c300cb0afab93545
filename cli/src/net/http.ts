import { CliError } from '../cli-error.ts';
import { objectOf, parseJson } from '../json.ts';
import { VERSION } from '../version.ts';
import { isSafeAddress } from './web-address.ts';

/** The longest time for one request including its response, in milliseconds. */
const REQUEST_TIMEOUT_MS = 20_000;

/** The largest response body that is read, in bytes. */
const MAX_RESPONSE_BYTES = 1024 * 1024;

/** A request. `body` is sent byte for byte. */
export interface HttpRequest {
  readonly method: 'GET' | 'POST' | 'DELETE';
  readonly url: string;
  /** Without one there is no `authorization` header. */
  readonly token?: string | undefined;
  readonly body?: string | undefined;
  /** Whether the body is a form; else it is JSON. */
  readonly form?: boolean | undefined;
  /** Added to the default headers, or replacing them. */
  readonly headers?: Readonly<Record<string, string>> | undefined;
  /** What the user can do when there is no response. */
  readonly hint?: string | undefined;
}

export type HttpResponse = Readonly<Awaited<ReturnType<typeof exchange>>>;

const FORM = 'application/x-www-form-urlencoded';

/** No response: the service is unreachable, too slow, or closed the connection. Retryable. */
export class NoResponseError extends CliError {
  override readonly name = 'NoResponseError';

  constructor({ url, hint }: HttpRequest, why: string) {
    super('network', 'unreachable', `cannot reach ${url}: ${why}`, hint);
  }
}

export function requestHeaders(request: HttpRequest): Readonly<Record<string, string>> {
  return {
    accept: 'application/json, application/problem+json',
    ...(request.token === undefined ? {} : { authorization: `Bearer ${request.token}` }),
    ...(request.body === undefined ? {} : { 'content-type': request.form === true ? FORM : 'application/json' }),
    'user-agent': `upsilon/${VERSION}`,
    ...request.headers,
  };
}

/**
 * Sends one request. Throws `NoResponseError`, or a `CliError` for a redirect, which is never followed, and for a token or an
 * OAuth form (which holds secrets) that would leave the machine unencrypted. The response's `body` is the JSON value,
 * undefined when the text is not JSON.
 */
export async function exchange(request: HttpRequest, timeoutMs = REQUEST_TIMEOUT_MS) {
  if ((request.token !== undefined || request.form === true) && !isSafeAddress(request.url)) {
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
    text = (await readBounded(response)).toString('utf8');
  } catch (error) {
    throw new NoResponseError(request, describeFailure(error, timeoutMs));
  }
  if (response.status >= 300 && response.status < 400) {
    const location = response.headers.get('location');
    const isAddress = location !== null && URL.canParse(location, request.url);
    // A parsed URL contains no control characters.
    const target = isAddress ? new URL(location, request.url).href : 'an invalid address';
    const hint =
      'If you trust that address, use it as --base-url: the access token is never sent to a redirect target.';
    throw new CliError('network', 'redirected', `${request.url} redirects to ${target}`, hint);
  }
  return { status: response.status, headers: response.headers, body: parseJson(text), text };
}

/** Throws for a body of more bytes. */
export async function readBounded(response: Response, maxBytes = MAX_RESPONSE_BYTES): Promise<Buffer> {
  const parts: Uint8Array[] = [];
  let size = 0;
  for await (const part of response.body ?? []) {
    size += part.length;
    if (size > maxBytes) throw new Error('the response is too long');
    parts.push(part);
  }
  return Buffer.concat(parts);
}

/** `fetch` reports the reason in `cause`, and in its `errors` when it tried several addresses. */
function describeFailure(error: unknown, timeoutMs: number): string {
  if (!(error instanceof Error)) return String(error);
  if (error.name === 'TimeoutError') return `no response within ${timeoutMs / 1000} seconds`;
  const cause: unknown = error.cause;
  const { code } = objectOf(cause);
  if (typeof code === 'string') return CONNECTION_FAILURES[code] ?? code;
  return cause instanceof Error ? cause.message : error.message;
}

const CONNECTION_FAILURES: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'nothing is listening at that address',
  ENOTFOUND: 'this host does not exist',
  EAI_AGAIN: 'the host name cannot be looked up (offline?)',
  ECONNRESET: 'the connection was closed',
  UND_ERR_SOCKET: 'the connection was closed',
  UND_ERR_CONNECT_TIMEOUT: 'connecting took too long',
  ENETUNREACH: 'the network cannot be reached (offline?)',
};
