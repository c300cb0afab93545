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
}

export interface TokenSource {
  /** The current token. Throws an `auth` error when there is none. */
  get(): Promise<string>;
  /** A token to replace one that was refused; null when there is no other. */
  renew(): Promise<string | null>;
}

/** Sends requests to one service as one operator, within its rate limit. */
export type Client = Readonly<ReturnType<typeof openClient>>;

/** When the service's rate limit opens again, in milliseconds since the epoch. */
interface RateLimit {
  until: number;
}

/**
 * Opens a client. Paths are under the base URL, with their leading slash. Requests return a 2xx response, and throw a
 * `CliError` for everything else. A retry is byte for byte the same request, so retrying is idempotent.
 */
export function openClient(baseUrl: string, tokens: TokenSource, context: ClientContext) {
  const rateLimit: RateLimit = { until: 0 };
  const hint = baseUrlHint(baseUrl);
  const send = (method: HttpRequest['method'], path: string, body?: string): Promise<HttpResponse> =>
    sendWithRetries({ method, url: `${baseUrl}${path}`, body, hint }, tokens, rateLimit, baseUrl, context);
  return {
    baseUrl,
    context,
    get: (path: string) => send('GET', path),
    post: (path: string, body: string) => send('POST', path, body),
    delete: (path: string) => send('DELETE', path),
  };
}

/** What to do when a service cannot be reached. */
export function baseUrlHint(baseUrl: string): string {
  return `Is the service running, and is --base-url right? It is ${baseUrl}.`;
}

async function sendWithRetries(
  request: HttpRequest,
  tokens: TokenSource,
  rateLimit: RateLimit,
  baseUrl: string,
  context: ClientContext,
): Promise<HttpResponse> {
  let token = await tokens.get();
  let renewed = false;
  for (let attempt = 1; ; attempt += 1) {
    await awaitRateLimit(rateLimit, context);
    const outcome = await exchange({ ...request, token }).catch((error: unknown) => {
      if (error instanceof NoResponseError) return error;
      throw error;
    });
    const response = outcome instanceof NoResponseError ? null : outcome;
    if (response !== null) noteRateLimit(response, rateLimit, context.now());
    if (response !== null && response.status < 300) return response;
    if (response?.status === 401 && !renewed) {
      renewed = true;
      const other = await tokens.renew();
      if (other !== null) {
        token = other;
        continue;
      }
    }
    const error = outcome instanceof NoResponseError ? outcome : problemError(outcome, baseUrl);
    const pause = retryDelay(response, attempt, context);
    if (pause === null || attempt >= MAX_ATTEMPTS) throw error;
    context.onWait(error.message, pause);
    await context.sleep(pause);
  }
}

/** Waits until the service's rate limit opens again. */
async function awaitRateLimit(rateLimit: RateLimit, { now, sleep, onWait }: ClientContext): Promise<void> {
  const pause = rateLimit.until - now();
  if (pause <= 0) return;
  rateLimit.until = 0;
  onWait('the rate limit of the service is used up', pause);
  await sleep(pause);
}

/** Records when the limit opens again, from the response that used it up, so that the next request is not refused. */
function noteRateLimit({ headers, status }: HttpResponse, rateLimit: RateLimit, now: number): void {
  const remaining = headers.get('ratelimit-remaining');
  const reset = readRetryAfter(headers.get('ratelimit-reset'), now);
  if (status < 300 && remaining?.trim() === '0' && reset !== null)
    rateLimit.until = now + Math.min(reset, MAX_REQUESTED_PAUSE_MS);
}

/** Milliseconds to wait before the next attempt; null when a retry cannot help or the requested pause is too long. */
function retryDelay(response: HttpResponse | null, attempt: number, { now, random }: ClientContext): number | null {
  const backoff = FIRST_PAUSE_MS * 2 ** (attempt - 1) * (1 - JITTER * random());
  if (response === null) return backoff;
  if (response.status !== 429 && response.status < 500) return null;
  const requested = readRetryAfter(response.headers.get('retry-after'), now()) ?? backoff;
  return requested <= MAX_REQUESTED_PAUSE_MS ? requested : null;
}

/** Reads a Retry-After header (RFC 9110, section 10.2.3: seconds or an HTTP date); returns milliseconds, null when absent or unreadable. */
export function readRetryAfter(value: string | null, now: number): number | null {
  if (value === null) return null;
  const text = value.trim();
  if (/^\d{1,9}$/.test(text)) return Number(text) * 1000;
  // HTTP dates start with letters; Date.parse alone would also accept a signed or fractional number as a year.
  const at = /^[A-Za-z]/.test(text) ? Date.parse(text) : Number.NaN;
  return Number.isNaN(at) ? null : Math.max(0, at - now);
}
