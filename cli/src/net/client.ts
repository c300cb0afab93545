import type { TokenSource } from '../auth/identity.ts';
import { CliError } from '../cli-error.ts';
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

/** Sends requests to one service as one operator, within its rate limit. */
export interface Client {
  readonly baseUrl: string;
  readonly context: ClientContext;
  /** Path under the base URL, with its leading slash. Returns a 2xx response; throws a `CliError` for everything else. */
  readonly get: (path: string) => Promise<HttpResponse>;
  readonly post: (path: string, body: string) => Promise<HttpResponse>;
  readonly delete: (path: string) => Promise<HttpResponse>;
}

/** When the service's rate limit opens again, in milliseconds since the epoch. */
interface RateLimit {
  until: number;
}

/** Opens a client. A retry is byte for byte the same request, so retrying is idempotent. */
export function openClient(baseUrl: string, tokens: TokenSource, context: ClientContext): Client {
  const rateLimit: RateLimit = { until: 0 };
  const send = (method: HttpRequest['method'], path: string, body?: string): Promise<HttpResponse> =>
    sendWithRetries({ method, url: `${baseUrl}${path}`, body }, tokens, rateLimit, baseUrl, context);
  return {
    baseUrl,
    context,
    get: (path) => send('GET', path),
    post: (path, body) => send('POST', path, body),
    delete: (path) => send('DELETE', path),
  };
}

async function sendWithRetries(
  request: Omit<HttpRequest, 'token'>,
  tokens: TokenSource,
  rateLimit: RateLimit,
  baseUrl: string,
  context: ClientContext,
): Promise<HttpResponse> {
  let token = await tokens.get();
  let renewed = false;
  for (let attempt = 1; ; attempt += 1) {
    await awaitRateLimit(rateLimit, context);
    const outcome = await attemptOnce({ ...request, token }, baseUrl);
    if (outcome.kind === 'response') noteRateLimit(outcome.response, rateLimit, context.now());
    if (outcome.kind === 'response' && outcome.response.status < 300) return outcome.response;
    if (outcome.kind === 'response' && outcome.response.status === 401 && !renewed) {
      renewed = true;
      const other = await tokens.renew();
      if (other !== null) {
        token = other;
        continue;
      }
    }
    const error = outcome.kind === 'response' ? problemError(outcome.response, baseUrl) : outcome.error;
    const pause = retryDelay(outcome, attempt, context);
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

type AttemptOutcome =
  | { readonly kind: 'response'; readonly response: HttpResponse }
  | { readonly kind: 'no_response'; readonly error: CliError };

async function attemptOnce(request: HttpRequest, baseUrl: string): Promise<AttemptOutcome> {
  try {
    return { kind: 'response', response: await exchange(request) };
  } catch (error) {
    if (!(error instanceof NoResponseError)) throw error;
    const message = `cannot reach ${request.url}: ${error.message}`;
    const hint = `Is the service running, and is --base-url right? It is ${baseUrl}.`;
    return { kind: 'no_response', error: new CliError('network', 'unreachable', message, hint) };
  }
}

/** Milliseconds to wait before the next attempt; null when a retry cannot help or the requested pause is too long. */
function retryDelay(outcome: AttemptOutcome, attempt: number, context: ClientContext): number | null {
  const backoff = FIRST_PAUSE_MS * 2 ** (attempt - 1) * (1 - JITTER * context.random());
  if (outcome.kind === 'no_response') return backoff;
  const { status, headers } = outcome.response;
  if (status !== 429 && status < 500) return null;
  const requested = readRetryAfter(headers.get('retry-after'), context.now());
  if (requested === null) return backoff;
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
