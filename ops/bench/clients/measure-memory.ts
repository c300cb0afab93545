import { setTimeout as pause } from 'node:timers/promises';
import { LIMITS } from '../../../config/limits.ts';
import { MIB } from '../../../config/units.ts';
import { type BenchContext, type Figure, figure } from '../frame/bench.ts';
import type { Clients } from '../frame/client-headers.ts';
import { residentBytes } from '../frame/cpu-time.ts';
import type { BenchProcess } from '../frame/service/start-service.ts';
import { measureServer, type ReadClient } from '../reads/compare-with-bare.ts';
import { LEADERBOARD, NEW } from './client-groups.ts';

const AT_MOST_BYTES = 64_000_000;

/** The few that make a million requests within their quotas. */
const FEW = { count: 20_000, first: 600_000 } as const;
const LOAD_MS = 500;

const { publicWindowMs } = LIMITS.rate;

/**
 * Memory that a new api takes for a million clients of one window: the most during as many requests, less the most during
 * the same number of requests of few clients before.
 */
export async function measureMemory(
  context: BenchContext,
  client: ReadClient,
  api: BenchProcess,
  count: number,
): Promise<Figure> {
  const mostDuring = async (clients: Clients): Promise<number> => {
    let most = 0;
    for (let requests = 0; requests < count; ) {
      const { rate } = await measureServer(client, api, { path: LEADERBOARD, clients }, LOAD_MS);
      requests += (rate * LOAD_MS) / 1_000;
      most = Math.max(most, await residentBytes(api.pid));
    }
    return most;
  };
  const started = Date.now();
  const before = await mostDuring(FEW);
  const took = Date.now() - started;
  const left = publicWindowMs - (Date.now() % publicWindowMs);
  if (left < took * 2) await pause(left);
  const window = Math.floor(Date.now() / publicWindowMs);
  const most = await mostDuring(NEW);
  const inOneWindow = Math.floor(Date.now() / publicWindowMs) === window;
  context.table(`Memory of an api for ${count} clients`, [
    ['requests', 'MiB'],
    [`by ${FEW.count} clients`, (before / MIB).toFixed(1)],
    ['each by a new client', (most / MIB).toFixed(1)],
  ]);
  const name = `memory for ${count} clients a minute`;
  const measured = figure(name, (most - before) / MIB, 'MiB', null, 'a limit', { atMost: AT_MOST_BYTES / MIB });
  if (inOneWindow) return measured;
  context.progress(`the api is too slow for ${count} clients a minute`);
  return { ...measured, value: null };
}
