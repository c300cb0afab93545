import { setTimeout as pause } from 'node:timers/promises';
import { alternate } from '../frame/alternate.ts';
import type { BenchContext } from '../frame/bench.ts';
import { serviceEnvironment, startProduct } from '../frame/service/start-service.ts';
import { median, timed } from '../frame/statistics.ts';

/** A process that just became ready still opens connections in the background. */
const REST_MS = 300;

type Role = 'api' | 'worker';

/**
 * Measures how long a worker and an api take to become ready over a population, alternating with an empty database. Each runs
 * alone; both were started over either database before (`startOnce`). A ratio is the median of the ratios of adjacent
 * starts.
 */
export async function measureStarts(context: BenchContext, population: string, empty: string) {
  const { starts: rounds } = context.options({ starts: [5, 1] });
  const compare = async (role: Role) => {
    const contestants = Object.entries({ population, empty });
    const times = await alternate(
      contestants.map(([name, mongoUrl]) => ({ name, measure: () => timeStart(context, role, mongoUrl) })),
      rounds,
    );
    const [own = [], peer = []] = [times.get('population'), times.get('empty')];
    return { ms: median(own), ratio: median(own.map((ms, round) => ms / peer[round]!)) };
  };
  const worker = await compare('worker');
  const api = await compare('api');
  return { workerStartMs: worker.ms, workerStartRatio: worker.ratio, apiStartMs: api.ms, apiStartRatio: api.ratio };
}

/** Starts a worker and an api, which create collections and indexes. */
export async function startOnce(context: BenchContext, mongoUrl: string): Promise<void> {
  for (const role of ['worker', 'api'] as const) await timeStart(context, role, mongoUrl);
}

/** Milliseconds from spawning a process to its readiness; it is stopped afterwards. */
async function timeStart(context: BenchContext, role: Role, mongoUrl: string): Promise<number> {
  const env = await serviceEnvironment(context, { MONGODB_URL: mongoUrl });
  const { ms, value: running } = await timed(() => startProduct(context, role, env));
  await pause(REST_MS);
  await running.stop();
  return ms;
}
