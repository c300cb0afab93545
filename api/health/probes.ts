import { Health, StoreHealth } from '../../engine/contract/index.ts';
import { defineRoute } from '../context/api-context.ts';
import { Problem } from '../http/problem.ts';

/** What all probes are: open to everyone, at the root of every host, never limited. */
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

export const ready = defineRoute({
  ...PROBE,
  path: '/health/ready',
  operationId: 'getReadiness',
  summary: 'Readiness probe',
  description:
    'Returns 200 from the first board on, until the process stops. It says nothing about the stores, which all processes share: ' +
    'boards are read from memory.',
  successes: [{ status: 200, description: 'The process serves.', schema: Health }],
  problems: ['not_ready'],
  handle: (_input, { ctx }) => {
    if (ctx.isStopping()) throw new Problem('not_ready', { detail: 'The process is stopping.' });
    return { kind: 'json', status: 200, body: { status: 'ok' } };
  },
});

export const stores = defineRoute({
  ...PROBE,
  path: '/health/stores',
  operationId: 'getStoreHealth',
  summary: 'The stores, as this process reached them last',
  description: 'Whether MongoDB and Redis answered within the last seconds. It asks neither.',
  successes: [{ status: 200, description: 'What is reachable.', schema: StoreHealth }],
  handle: (_input, { ctx }) => ({ kind: 'json', status: 200, body: ctx.storeHealth() }),
});
