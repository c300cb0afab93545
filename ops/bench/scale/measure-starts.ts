import { setTimeout as pause } from 'node:timers/promises';
import { alternate } from '../frame/alternate.ts';
import type { BenchContext } from '../frame/bench.ts';
import { serviceEnvironment, startProduct } from '../frame/service/start-service.ts';
import { median } from '../frame/statistics.ts';
import type { PopulationScale } from './population-scale.ts';

/** A process that just became ready still opens connections in the background. */
const REST_MS = 300;

type Role = 'api' | 'worker';

type Starts = Pick<PopulationScale, 'workerStartMs' | 'apiStartMs' | 'workerStartRatio' | 'apiStartRatio'>;

/**
 * Measures how long a worker and an api take to become ready over a population, alternating with an empty database. Each runs
 * alone; both were started over either database before (`startOnce`). A ratio is the median of the ratios of adjacent
 * starts.
 */
export async function measureStarts(context: BenchContext, population: string, empty: string): Promise<Starts> {
  const rounds = context.option('starts', { full: 5, tiny: 1 });
  const worker = await compareStarts(context, 'worker', { population, empty }, rounds);
  const api = await compareStarts(context, 'api', { population, empty }, rounds);
  return { workerStartMs: worker.ms, workerStartRatio: worker.ratio, apiStartMs: api.ms, apiStartRatio: api.ratio };
}

/** Starts a worker and an api, which create collections and indexes. */
export async function startOnce(context: BenchContext, mongoUrl: string): Promise<void> {
  for (const role of ['worker', 'api'] as const) await timeStart(context, role, mongoUrl);
}

async function compareStarts(
  context: BenchContext,
  role: Role,
  urls: { readonly population: string; readonly empty: string },
  rounds: number,
): Promise<{ readonly ms: number; readonly ratio: number }> {
  const times = await alternate(
    [
      { name: 'population', measure: () => timeStart(context, role, urls.population) },
      { name: 'empty', measure: () => timeStart(context, role, urls.empty) },
    ],
    rounds,
  );
  const [population = [], empty = []] = [times.get('population'), times.get('empty')];
  return { ms: median(population), ratio: median(population.map((ms, round) => ms / empty[round]!)) };
}

/** Milliseconds from spawning a process to its readiness; it is stopped afterwards. */
async function timeStart(context: BenchContext, role: Role, mongoUrl: string): Promise<number> {
  const env = await serviceEnvironment(context, { MONGODB_URL: mongoUrl });
  const started = performance.now();
  const running = await startProduct(context, role, env);
  const ms = performance.now() - started;
  await pause(REST_MS);
  await running.stop();
  return ms;
}
