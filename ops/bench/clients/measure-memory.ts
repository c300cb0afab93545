import { setTimeout as pause } from 'node:timers/promises';
import { RATE_POLICIES } from '../../../api/http/rate-limit/rate-policy.ts';
import { MIB } from '../../../config/units.ts';
import { type BenchContext, type Figure, figure } from '../frame/bench.ts';
import type { Clients } from '../frame/client-headers.ts';
import { residentBytes } from '../frame/cpu-time.ts';
import { startProduct } from '../frame/service/start-service.ts';
import type { ReadClient } from '../reads/compare-with-bare.ts';
import { LEADERBOARD, NEW } from './client-groups.ts';

const AT_MOST_BYTES = 64_000_000;

/** The few that make a million requests within their quotas. */
const FEW = { count: 20_000, first: 600_000 } as const;

/** Enough for a million in most of a minute, on a slow machine too: a flood's requests come several at once. */
const LOAD = { path: LEADERBOARD, connections: 8, perSecond: 25_000, durationMs: 500 } as const;

const { windowMs: publicWindowMs } = RATE_POLICIES.public;

/** Bytes outside of V8's heap, in which the limiter counts, and all that are resident. */
interface Memory {
  readonly external: number;
  readonly resident: number;
}

/**
 * Memory outside of V8's heap that a new api takes for a million clients of one window: the most during as many requests, less the
 * most during the same number of requests of few clients before. Resident memory also has what V8 has yet to collect.
 */
export async function measureMemory(
  context: BenchContext,
  client: ReadClient,
  env: Readonly<Record<string, string>>,
  count: number,
): Promise<Figure> {
  const api = await startProduct(context, 'api', env);
  const mostDuring = async (clients: Clients): Promise<Memory> => {
    let most = { external: 0, resident: 0 };
    for (let requests = 0; requests < count; ) {
      const { sent, responses } = await client.request('flood', { ...LOAD, port: api.port, clients });
      if (responses !== sent) throw new Error(`${responses} of ${sent} requests got a response`);
      requests += sent;
      most = {
        external: Math.max(most.external, await externalBytes(env['METRICS_PORT'])),
        resident: Math.max(most.resident, await residentBytes(api.pid)),
      };
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
    ['requests', 'external MiB', 'resident MiB'],
    row(`by ${FEW.count} clients`, before),
    row('each by a new client', most),
  ]);
  const name = `memory for ${count} clients a minute`;
  const taken = (most.external - before.external) / MIB;
  const measured = figure(name, taken, 'MiB', null, 'a limit', { atMost: AT_MOST_BYTES / MIB });
  if (inOneWindow) return measured;
  context.progress(`the api is too slow for ${count} clients a minute`);
  return { ...measured, value: null };
}

function row(requests: string, { external, resident }: Memory): string[] {
  return [requests, (external / MIB).toFixed(1), (resident / MIB).toFixed(1)];
}

/** Memory of an api outside of V8's heap in bytes, from its metrics. */
async function externalBytes(metricsPort: string | undefined): Promise<number> {
  const text = await (await fetch(`http://127.0.0.1:${metricsPort}/metrics`)).text();
  return Number(/^\w*nodejs_external_memory_bytes(?:\{[^}]*\})? (\S+)$/m.exec(text)?.[1] ?? Number.NaN);
}
