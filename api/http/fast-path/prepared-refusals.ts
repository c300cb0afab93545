import type { IncomingMessage, ServerResponse } from 'node:http';
import { MS_PER_SECOND } from '../../../config/units.ts';
import type { Outcome } from '../exchange.ts';
import type { ResultExchange } from '../finish-result.ts';
import type { HttpContext } from '../http-context.ts';
import { createFormChoice, PROBLEM_FORMS, type ProblemForm } from '../page-forms.ts';
import { INSTANCE, newInstance } from '../problem.ts';
import type { RateDecision } from '../rate-limit/rate-limiter.ts';
import type { RatePolicy } from '../rate-limit/rate-policy.ts';
import type { CacheHeaders } from './cache-headers.ts';
import { endInOnePiece, flatten, makeReadyHead, type ReadyHead, writeReadyHead } from './ready-head.ts';

/** What a refusal consists of, besides the form, the host and the quota. */
export interface RefusalParts {
  /** The name for the metrics. */
  readonly route: string;
  /** Which form clients get that accept all; null for the one that there is whatever they accept. */
  readonly preferred: keyof typeof PROBLEM_FORMS | null;
  readonly finish: (exchange: ResultExchange, ctx: HttpContext, rate: RateDecision) => Outcome;
}

/** A refusal with the responses that were made of it, by the headers of their hosts and by form. */
interface Refusal extends RefusalParts {
  readonly prepared: Map<object, Map<ProblemForm, PreparedRefusal>>;
  /** The last response, and the headers by which it was chosen, of at most 16 KiB: most of a flood's requests are alike. */
  last: (Pick<CacheHeaders, 'accept' | 'host'> & { readonly made: PreparedRefusal }) | null;
}

/** A refused request. */
export interface Refused {
  readonly refusal: Refusal;
  readonly rate: RateDecision;
}

/**
 * Creates a function that finds the refusal of a request. Each refusal is made once for a subject (a route, the routes at a path, an
 * endpoint) and a policy, and kept: there must be a fixed number of subjects. They are compared by identity, because building a
 * string for each request would cost most during a flood.
 */
export function keepRefusals<K>(make: (subject: K) => RefusalParts): (subject: K, rate: RateDecision) => Refused {
  const kept = new Map<RatePolicy, Map<K, Refusal>>();
  return (subject, rate) => {
    const known = kept.get(rate.policy)?.get(subject);
    if (known !== undefined) return { refusal: known, rate };
    const refusal = { ...make(subject), prepared: new Map(), last: null };
    kept.set(rate.policy, (kept.get(rate.policy) ?? new Map<K, Refusal>()).set(subject, refusal));
    return { refusal, rate };
  };
}

/** A response to refused requests. */
interface PreparedRefusal {
  /** The seconds that a 429 reports; all clients of a policy get the same. */
  readonly resetSeconds: number;
  readonly head: ReadyHead;
  /** The body as text of one byte a character, cut where the instance is; a page has none. */
  readonly body: readonly string[];
}

function isCurrent({ resetSeconds }: PreparedRefusal, rate: RateDecision): boolean {
  return rate.allowed || resetSeconds === rate.resetSeconds;
}

/**
 * Creates the function that responds to refused requests with prepared bytes. They are made when they are first needed, for each
 * refusal, form and host, and once a second while a 429 counts down.
 */
export function createRefusalSender(ctx: HttpContext) {
  const { hosts, metrics, turns } = ctx;
  const chooseForm = { page: createFormChoice(PROBLEM_FORMS.page), problem: createFormChoice(PROBLEM_FORMS.problem) };

  function prepare({ refusal, rate }: Refused, { accept, host }: CacheHeaders): PreparedRefusal {
    const { last, preferred } = refusal;
    if (last !== null && last.accept === accept && last.host === host && isCurrent(last.made, rate)) return last.made;
    const form = preferred === null ? 'json' : (chooseForm[preferred](accept, () => true) ?? 'json');
    const made = prepareForm({ refusal, rate }, form, host);
    refusal.last = { accept, host, made };
    return made;
  }

  function prepareForm({ refusal, rate }: Refused, form: ProblemForm, host: string | undefined): PreparedRefusal {
    const { prepared, finish } = refusal;
    const transport = hosts.transportOf(host);
    const known = prepared.get(transport)?.get(form);
    if (known !== undefined && isCurrent(known, rate)) return known;
    const accept = PROBLEM_FORMS.problem.find(([name]) => name === form)?.[1];
    const exchange = { method: 'GET', header: (name: string) => (name === 'accept' ? accept : undefined) };
    const { status, headers, body } = finish(exchange, ctx, rate);
    const made = {
      resetSeconds: rate.resetSeconds,
      head: makeReadyHead(status, flatten({ ...headers, ...transport })),
      body: (body ?? Buffer.alloc(0)).toString('latin1').split(INSTANCE),
    };
    prepared.set(transport, (prepared.get(transport) ?? new Map<ProblemForm, PreparedRefusal>()).set(form, made));
    return made;
  }

  return (
    refused: Refused,
    { method = 'GET', socket }: IncomingMessage,
    response: ServerResponse,
    startedAt: number,
    headers: CacheHeaders,
  ): void => {
    const { rate } = refused;
    const { route } = refused.refusal;
    const { head, body } = prepare(refused, headers);
    writeReadyHead(response, head, rate);
    const [start = '', end] = body;
    if (method === 'HEAD') response.end();
    else endInOnePiece(response, end === undefined ? start : start + newInstance() + end);
    if (rate.allowed) turns.served(socket);
    else turns.refused(socket);
    metrics.http.answered(route, method, head.status, (performance.now() - startedAt) / MS_PER_SECOND);
  };
}
