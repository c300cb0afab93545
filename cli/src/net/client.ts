import { exchange, type HttpRequest, type HttpResponse, NoResponseError } from './http.ts';
import { problemError } from './problem.ts';

const MAX_ATTEMPTS = 5;

/** The pause after the first failure, in milliseconds; doubled after each further one. */
const FIRST_PAUSE_MS = 500;

/** The longest pause that a service may request, in milliseconds; a longer one ends the run. */
const MAX_REQUESTED_PAUSE_MS = 120_000;

/** The random share of a pause, so that clients that failed together do not retry together. */
const JITTER = 0.5;

/** Clock and randomness, injected for tests. */
export interface ClientContext {
  /** Milliseconds since the epoch. */
  readonly now: () => number;
  readonly sleep: (milliseconds: number) => Promise<void>;
  /** From 0 up to but not including 1. */
  readonly random: () => number;
  /** Reports why and how long the client waits. */
  readonly onWait: (reason: string, milliseconds: number) => void;
  /** Reports a request that ended, without its token and body. */
  readonly onEnd?: (request: string) => void;
}

export interface TokenSource {
  /** The current token. Throws an `auth` error when there is none. */
  get(): Promise<string>;
  /** A token to replace one that was refused; null when there is no other. */
  renew(): Promise<string | null>;
}

/** Sends requests to one service as one operator, within its rate limit. */
export type Client = Readonly<ReturnType<typeof openClient>>;

/**
 * Opens a client. Paths are under the base URL, with their leading slash. Requests return a 2xx response, and throw a
 * `CliError` for everything else. A retry is byte for byte the same request, so retrying is idempotent.
 */
export function openClient(baseUrl: string, tokens: TokenSource | null, context: ClientContext) {
  const attempt = openRateLimitedExchange(context);
  const hint = baseUrlHint(baseUrl);
  const send = async (method: HttpRequest['method'], path: string, body?: string): Promise<HttpResponse> => {
    const request = { method, url: `${baseUrl}${path}`, body, hint };
    let token = await tokens?.get();
    let renewed = false;
    for (let attempts = 1; ; attempts += 1) {
      const outcome = await attempt({ ...request, token });
      const response = outcome instanceof NoResponseError ? null : outcome;
      context.onEnd?.(`${method} ${request.url}: ${response?.status ?? 'no response'}`);
      if (response !== null && response.status < 300) return response;
      const other = response?.status === 401 && !renewed ? await tokens?.renew() : null;
      renewed ||= response?.status === 401;
      if (typeof other === 'string') {
        token = other;
        continue;
      }
      const error = outcome instanceof NoResponseError ? outcome : problemError(outcome, baseUrl);
      // Whatever is not a failure of the service or of the way to it is its last word.
      const pause = error.exit === 'network' ? retryDelay(response, attempts, context) : null;
      if (pause === null || attempts >= MAX_ATTEMPTS) throw error;
      context.onWait(error.message, pause);
      await context.sleep(pause);
    }
  };
  return {
    baseUrl,
    context,
    get: (path: string) => send('GET', path),
    post: (path: string, body: string) => send('POST', path, body),
    delete: (path: string) => send('DELETE', path),
  };
}

/** Sends a request when the service's rate limit allows it. Returns the error when there is no response. */
function openRateLimitedExchange({ now, sleep, onWait }: ClientContext) {
  /** When the rate limit opens again, in milliseconds since the epoch. */
  let opensAt = 0;
  return async (request: HttpRequest): Promise<HttpResponse | NoResponseError> => {
    const pause = opensAt - now();
    if (pause > 0) {
      opensAt = 0;
      onWait('too many requests', pause);
      await sleep(pause);
    }
    try {
      const response = await exchange(request);
      const { headers, status } = response;
      const reset = readRetryAfter(headers.get('ratelimit-reset'), now());
      // Noted from the response that used it up, so that the next request is not refused.
      const isUsedUp = status < 300 && headers.get('ratelimit-remaining')?.trim() === '0';
      if (isUsedUp && reset !== null) opensAt = now() + Math.min(reset, MAX_REQUESTED_PAUSE_MS);
      return response;
    } catch (error) {
      if (error instanceof NoResponseError) return error;
      throw error;
    }
  };
}

/** What to do when a service cannot be reached. */
export function baseUrlHint(baseUrl: string): string {
  return `Is the service running, and is --base-url right? It is ${baseUrl}.`;
}

/** Milliseconds to wait before the next attempt; null when a retry cannot help or the requested pause is too long. */
function retryDelay(response: HttpResponse | null, attempt: number, { now, random }: ClientContext): number | null {
  const backoff = FIRST_PAUSE_MS * 2 ** (attempt - 1) * (1 - JITTER * random());
  if (response === null) return backoff;
  if (response.status !== 429 && response.status < 500) return null;
  const requested = readRetryAfter(response.headers.get('retry-after'), now()) ?? backoff;
  return requested <= MAX_REQUESTED_PAUSE_MS ? requested : null;
}

/** A number of a server, within bounds; `usual` where it gives none. */
export function readBounded(
  value: unknown,
  { min, max, usual }: Readonly<Record<'min' | 'max' | 'usual', number>>,
): number {
  return typeof value === 'number' ? Math.min(max, Math.max(min, value)) : usual;
}

/** The longest pause that is read from a header, in seconds: timers of more than 2^31 ms end at once. */
const PAUSE_S = { min: 0, max: 86_400, usual: 0 };

/** Reads a Retry-After header (RFC 9110, section 10.2.3: seconds or an HTTP date); returns milliseconds, null when absent or unreadable. */
export function readRetryAfter(value: string | null, now: number): number | null {
  if (value === null) return null;
  const text = value.trim();
  if (/^\d{1,9}$/.test(text)) return readBounded(Number(text), PAUSE_S) * 1000;
  // HTTP dates start with letters; Date.parse alone would also accept a signed or fractional number as a year.
  const at = /^[A-Za-z]/.test(text) ? Date.parse(text) : Number.NaN;
  return Number.isNaN(at) ? null : readBounded((at - now) / 1000, PAUSE_S) * 1000;
}
