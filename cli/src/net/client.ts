import type { TokenSource } from '../auth/identity.ts';
import { CliError } from '../cli-error.ts';
import { exchange, type HttpAnswer, type HttpRequest, NoResponseError } from './http.ts';
import { problemError } from './problem.ts';
import { readRetryAfter } from './retry-after.ts';

/** How often a request is sent at most. */
const MAX_ATTEMPTS = 5;

/** The first pause after a failure, in milliseconds; doubled after each further one. */
const FIRST_PAUSE_MS = 500;

/** The longest pause that a service may ask for, in milliseconds; a longer one is left to the user. */
const MAX_ASKED_PAUSE_MS = 120_000;

/** The share of a pause that is random, so that clients that failed together do not return together. */
const JITTER = 0.5;

/** Time and chance, so that tests need neither. */
export interface CommandContext {
  /** Milliseconds since the epoch. */
  readonly now: () => number;
  readonly sleep: (milliseconds: number) => Promise<void>;
  /** From 0 up to but not including 1. */
  readonly random: () => number;
  /** Is told why and how long the tool waits. */
  readonly onWait: (reason: string, milliseconds: number) => void;
}

/** Sends requests to one service as one operator, no faster than it allows. */
export interface Client {
  readonly baseUrl: string;
  readonly context: CommandContext;
  /** Path under the base URL, with its leading slash. Answers the first 2xx; throws a `CliError` for everything else. */
  readonly get: (path: string) => Promise<HttpAnswer>;
  readonly post: (path: string, body: string) => Promise<HttpAnswer>;
  readonly delete: (path: string) => Promise<HttpAnswer>;
}

/** Until when the service has asked to be left alone, in milliseconds since the epoch. */
interface Pace {
  until: number;
}

/** Opens a client. Every request that it repeats is byte for byte the same, so repeating it is harmless. */
export function openClient(baseUrl: string, tokens: TokenSource, context: CommandContext): Client {
  const pace: Pace = { until: 0 };
  const send = (method: HttpRequest['method'], path: string, body?: string): Promise<HttpAnswer> =>
    persist({ method, url: `${baseUrl}${path}`, body }, tokens, pace, baseUrl, context);
  return {
    baseUrl,
    context,
    get: (path) => send('GET', path),
    post: (path, body) => send('POST', path, body),
    delete: (path) => send('DELETE', path),
  };
}

async function persist(
  request: Omit<HttpRequest, 'token'>,
  tokens: TokenSource,
  pace: Pace,
  baseUrl: string,
  context: CommandContext,
): Promise<HttpAnswer> {
  let token = await tokens.get();
  let renewed = false;
  for (let attempt = 1; ; attempt += 1) {
    await keepPace(pace, context);
    const outcome = await attemptOnce({ ...request, token }, baseUrl);
    if (outcome.kind === 'answer') notePace(outcome.answer, pace, context.now());
    if (outcome.kind === 'answer' && outcome.answer.status < 300) return outcome.answer;
    if (outcome.kind === 'answer' && outcome.answer.status === 401 && !renewed) {
      renewed = true;
      const other = await tokens.renew();
      if (other !== null) {
        token = other;
        continue;
      }
    }
    const error = outcome.kind === 'answer' ? problemError(outcome.answer, baseUrl) : outcome.error;
    const pause = pauseBefore(outcome, attempt, context);
    if (pause === null || attempt >= MAX_ATTEMPTS) throw error;
    context.onWait(error.message, pause);
    await context.sleep(pause);
  }
}

/** Waits until the service's limit is open again. */
async function keepPace(pace: Pace, { now, sleep, onWait }: CommandContext): Promise<void> {
  const pause = pace.until - now();
  if (pause <= 0) return;
  pace.until = 0;
  onWait('the service allows no more requests for the moment', pause);
  await sleep(pause);
}

/** An answer that used up the limit says when it opens again: waiting for that is kinder than being turned away. */
function notePace({ headers, status }: HttpAnswer, pace: Pace, now: number): void {
  const remaining = headers.get('ratelimit-remaining');
  const reset = readRetryAfter(headers.get('ratelimit-reset'), now);
  if (status < 300 && remaining?.trim() === '0' && reset !== null)
    pace.until = now + Math.min(reset, MAX_ASKED_PAUSE_MS);
}

type Outcome =
  | { readonly kind: 'answer'; readonly answer: HttpAnswer }
  | { readonly kind: 'silence'; readonly error: CliError };

async function attemptOnce(request: HttpRequest, baseUrl: string): Promise<Outcome> {
  try {
    return { kind: 'answer', answer: await exchange(request) };
  } catch (error) {
    if (!(error instanceof NoResponseError)) throw error;
    const message = `cannot reach ${request.url}: ${error.message}`;
    const hint = `Is the service running, and is --base-url right? It is ${baseUrl}.`;
    return { kind: 'silence', error: new CliError('network', 'unreachable', message, hint) };
  }
}

/** Milliseconds to wait before the next attempt; null when another attempt would not help or would come too late. */
function pauseBefore(outcome: Outcome, attempt: number, context: CommandContext): number | null {
  const own = FIRST_PAUSE_MS * 2 ** (attempt - 1) * (1 - JITTER * context.random());
  if (outcome.kind === 'silence') return own;
  const { status, headers } = outcome.answer;
  if (status !== 429 && status < 500) return null;
  const asked = readRetryAfter(headers.get('retry-after'), context.now());
  if (asked === null) return own;
  return asked <= MAX_ASKED_PAUSE_MS ? asked : null;
}
