import { Health } from '../../engine/contract/index.ts';
import type { Clock } from '../../engine/ranking/index.ts';
import { Problem } from '../http/problem.ts';
import { defineRoute } from '../services.ts';

/** Whether the process answers at all. */
export const live = defineRoute({
  method: 'get',
  surface: 'every',
  path: '/health/live',
  operationId: 'getLiveness',
  summary: 'Liveness probe',
  description: 'Answers while the process runs.',
  tag: 'service',
  auth: 'public',
  successes: [{ status: 200, description: 'The process runs.', schema: Health }],
  problems: [],
  limit: null,
  cache: null,
  documented: false,
  handle: () => ({ kind: 'json', status: 200, body: { status: 'ok' } }),
});

/** How long a check of the stores is reused, in milliseconds. */
const REMEMBERED_MS = 1_000;

/** Runs the check at most once in that time, for any number of callers. */
export function rememberBriefly(check: () => Promise<void>, clock: Clock): () => Promise<void> {
  let checkedAt = Number.NEGATIVE_INFINITY;
  let checked = Promise.resolve();
  return () => {
    const now = clock();
    if (Math.abs(now - checkedAt) >= REMEMBERED_MS) {
      checkedAt = now;
      checked = check();
    }
    return checked;
  };
}

/** Whether the process can do its work: its stores answer. */
export const ready = defineRoute({
  method: 'get',
  surface: 'every',
  path: '/health/ready',
  operationId: 'getReadiness',
  summary: 'Readiness probe',
  description: 'Answers 200 while the stores answer.',
  tag: 'service',
  auth: 'public',
  successes: [{ status: 200, description: 'The stores answer.', schema: Health }],
  problems: ['not_ready'],
  limit: null,
  cache: null,
  documented: false,
  handle: async (_input, { services }) => {
    try {
      await services.checkStores();
    } catch (cause) {
      throw new Problem('not_ready', { detail: 'A store does not answer.', cause });
    }
    return { kind: 'json', status: 200, body: { status: 'ok' } };
  },
});
