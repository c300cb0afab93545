import { setTimeout as pause } from 'node:timers/promises';
import { RATE_POLICIES } from '../../../api/http/rate-limit/rate-policy.ts';
import { alternate } from '../frame/alternate.ts';
import { type BenchContext, type Figure, figure } from '../frame/bench.ts';
import type { BenchProcess } from '../frame/service/start-service.ts';
import { CONNECTIONS, compareServers, measureServer, type ReadClient } from '../reads/compare-with-bare.ts';
import { FLOODING, LEADERBOARD, many } from './client-groups.ts';
import { onSeparateCores } from './pin.ts';

/** Requests by the status of their responses: served, refused to one client, and refused because of the path. */
const KINDS = [
  { name: '200', path: LEADERBOARD, clients: many(8) },
  { name: '429', path: LEADERBOARD, clients: FLOODING },
  { name: '404', path: '/api/v1/RANDOM', clients: many(9) },
] as const;

const { quota: publicRequests, windowMs: publicWindowMs } = RATE_POLICIES.public;

/**
 * Turns are shorter and more than those of other measurements: the kinds differ by a few percent, a machine's speed by more from one
 * second to the next.
 */
const SHORTER = 4;

/** How much longer than it should a load may take: far more than on a slow and busy machine. */
const LATE_MS = 5_000;

/** Time until the api knows that there are no other clients than the flood. In milliseconds. */
const SETTLE_MS = 100;

/** Makes a client go over its quota, in a window that does not end before the load that follows. */
async function useUpQuota(client: ReadClient, { port }: BenchProcess, durationMs: number): Promise<void> {
  const left = publicWindowMs - (Date.now() % publicWindowMs);
  // A timer may be early.
  if (left < durationMs + LATE_MS) await pause(left + 10);
  const request = { path: LEADERBOARD, clients: FLOODING, port };
  await client.request('load', { ...request, connections: 1, maxRequests: publicRequests, durationMs: LATE_MS });
  // The api takes the first refusals for those of a flood beside others.
  await client.request('load', { ...request, connections: CONNECTIONS, durationMs: SETTLE_MS });
}

/** Compares refused requests with served ones of many clients, by the same api. */
export async function measureRefusals(
  context: BenchContext,
  client: ReadClient,
  api: BenchProcess,
  { seconds, rounds }: Readonly<Record<'seconds' | 'rounds', number>>,
) {
  const durationMs = (seconds * 1_000) / SHORTER;
  const measure = async ({ name, ...request }: (typeof KINDS)[number]) => {
    if (name === '429') await useUpQuota(client, api, durationMs);
    return measureServer(client, api, request, durationMs, Number(name));
  };
  const contestants = KINDS.map((kind) => ({ name: kind.name, measure: () => measure(kind) }));
  const taken = await onSeparateCores([api], [client], async () => {
    await alternate(contestants, SHORTER);
    return alternate(contestants, rounds * SHORTER);
  });
  const compared = compareServers(taken);
  const rows = KINDS.map(({ name }) => [
    name,
    compared.median(name, 'rate').toFixed(0),
    compared.rateRatio(name).toFixed(3),
    compared.median(name, 'cpuMicros').toFixed(1),
    compared.cpuRatio(name).toFixed(3),
    compared.median(name, 'p99Ms').toFixed(2),
  ]);
  context.table('The leaderboard of 50,000 clients, that of one over its quota, and unknown paths of 50,000 clients', [
    ['status', 'answers/s', 'ratio', 'CPU us', 'CPU ratio', 'p99 ms'],
    ...rows,
  ]);
  const figureOf = (status: string, name: string, target?: Figure['target']): Figure => {
    const against = 'the leaderboard, served to 50,000 clients';
    return figure(name, compared.median(status, 'rate'), 'answers/s', compared.rateRatio(status), against, target);
  };
  return {
    rates: { served: compared.median('200', 'rate'), refused: compared.median('429', 'rate') },
    figures: [figureOf('429', 'over the quota, 429', { atLeast: 1 }), figureOf('404', 'unknown path, 404')],
  };
}
