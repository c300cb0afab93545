import type { IncomingMessage, ServerResponse } from 'node:http';
import { MS_PER_SECOND } from '../../../config/units.ts';
import type { Outcome } from '../exchange.ts';
import type { ResultExchange } from '../finish-result.ts';
import type { HttpContext } from '../http-context.ts';
import { createFormChoice, PROBLEM_FORMS, type ProblemForm } from '../page-forms.ts';
import { INSTANCE, newInstance } from '../problem.ts';
import type { RateDecision } from '../rate-limit/rate-limiter.ts';
import type { CacheHeaders } from './cache-headers.ts';
import { endInOnePiece, flatten, makeReadyHead, type ReadyHead, writeReadyHead } from './ready-head.ts';

/** A refused request: what its response depends on besides the form, the host and the quota. */
export interface Refused {
  /** Equal for equal responses. */
  readonly key: string;
  /** The name for the metrics. */
  readonly route: string;
  /** Which form clients get that accept all; null for the one that there is whatever they accept. */
  readonly preferred: keyof typeof PROBLEM_FORMS | null;
  readonly rate: RateDecision;
  readonly finish: (exchange: ResultExchange, ctx: HttpContext) => Outcome;
}

/** A response to refused requests. */
interface PreparedRefusal {
  /** The seconds that a 429 reports; all clients of a policy get the same. */
  readonly resetSeconds: number;
  readonly head: ReadyHead;
  /** The body as text of one byte a character, cut where the instance is; a page has none. */
  readonly body: readonly string[];
}

/**
 * Creates the function that responds to refused requests with prepared bytes. They are made when they are first needed, and
 * once a second while a 429 counts down.
 */
export function createRefusalSender(ctx: HttpContext) {
  const { hosts, metrics, turns } = ctx;
  const chooseForm = { page: createFormChoice(PROBLEM_FORMS.page), problem: createFormChoice(PROBLEM_FORMS.problem) };
  /** By the headers of their hosts, by key, and by form. */
  const prepared = new Map<object, Map<string, Map<ProblemForm, PreparedRefusal>>>();

  function prepare({ key, rate, finish }: Refused, form: ProblemForm, host: string): PreparedRefusal {
    const transport = hosts.transportOf(host);
    const known = prepared.get(transport)?.get(key)?.get(form);
    if (known !== undefined && (rate.allowed || known.resetSeconds === rate.resetSeconds)) return known;
    const accept = PROBLEM_FORMS.problem.find(([name]) => name === form)?.[1];
    const exchange = { method: 'GET', header: (name: string) => (name === 'accept' ? accept : undefined) };
    const { status, headers, body } = finish(exchange, ctx);
    const made = {
      resetSeconds: rate.resetSeconds,
      head: makeReadyHead(status, flatten({ ...headers, ...transport })),
      body: (body ?? Buffer.alloc(0)).toString('latin1').split(INSTANCE),
    };
    const ofHost = prepared.get(transport) ?? new Map<string, Map<ProblemForm, PreparedRefusal>>();
    const forms = ofHost.get(key) ?? new Map<ProblemForm, PreparedRefusal>();
    prepared.set(transport, ofHost.set(key, forms.set(form, made)));
    return made;
  }

  return (
    refused: Refused,
    { method = 'GET', socket }: IncomingMessage,
    response: ServerResponse,
    startedAt: number,
    { accept, host = '' }: CacheHeaders,
  ): void => {
    const { preferred, rate, route } = refused;
    const form = preferred === null ? 'json' : (chooseForm[preferred](accept, () => true) ?? 'json');
    const { head, body } = prepare(refused, form, host);
    writeReadyHead(response, head, rate);
    const [start = '', end] = body;
    if (method === 'HEAD') response.end();
    else endInOnePiece(response, end === undefined ? start : start + newInstance() + end);
    if (rate.allowed) turns.served(socket);
    else turns.refused(socket);
    metrics.http.answered(route, method, head.status, (performance.now() - startedAt) / MS_PER_SECOND);
  };
}
