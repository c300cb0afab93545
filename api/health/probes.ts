import { Health } from '../../engine/contract/index.ts';
import type { Clock } from '../../engine/ranking/index.ts';
import { defineRoute } from '../context/api-context.ts';
import { Problem } from '../http/problem.ts';

/** What both probes are: open to everyone, at the root of every host, never limited. */
const PROBE = {
  method: 'get',
  surface: 'every',
  tag: 'service',
  auth: 'public',
  limit: null,
  documented: false,
} as const;

export const live = defineRoute({
  ...PROBE,
  path: '/health/live',
  operationId: 'getLiveness',
  summary: 'Liveness probe',
  description: 'Returns 200 while the process runs.',
  successes: [{ status: 200, description: 'The process is running.', schema: Health }],
  handle: () => ({ kind: 'json', status: 200, body: { status: 'ok' } }),
});

/** How long a check of the stores is reused, in milliseconds. */
const REMEMBERED_MS = 1_000;

/** Runs the check at most once in `REMEMBERED_MS`, for any number of callers. */
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

export const ready = defineRoute({
  ...PROBE,
  path: '/health/ready',
  operationId: 'getReadiness',
  summary: 'Readiness probe',
  description: 'Returns 200 while the stores are reachable.',
  successes: [{ status: 200, description: 'The stores are reachable.', schema: Health }],
  problems: ['not_ready'],
  handle: async (_input, { ctx }) => {
    try {
      await ctx.checkStores();
    } catch (cause) {
      throw new Problem('not_ready', { detail: 'A store is not reachable.', cause });
    }
    return { kind: 'json', status: 200, body: { status: 'ok' } };
  },
});
