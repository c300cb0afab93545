import { setTimeout as pause } from 'node:timers/promises';
import type { Connection } from '../../../engine/mongo/index.ts';
import type { Ranking } from '../../../engine/ranking/index.ts';
import type { BenchContext } from '../frame/bench.ts';
import { peakBytes, withCpuTime } from '../frame/cpu-time.ts';
import { type BenchProcess, serviceEnvironment, startProduct } from '../frame/service/start-service.ts';
import { openRerankRuns } from './rerank-runs.ts';
import { bytesOf } from './server-ranking.ts';

/** Time in which committers read the new board, whose memory counts. */
const REST_MS = 5_000;

/** Costs of a re-rank by worker processes. */
export type RerankCosts = Awaited<ReturnType<typeof measureRerank>>;

/** Measures a re-rank of the population under methodology 2 by `workers` processes, from the request to the switch. */
export async function measureRerank(context: BenchContext, connection: Connection, ranking: Ranking, workers: number) {
  const { pids } = await context.engines();
  const processes: BenchProcess[] = [];
  for (let index = 0; index < workers; index++) {
    processes.push(await startProduct(context, 'worker', await serviceEnvironment(context)));
  }
  const runs = await openRerankRuns(context, connection, ranking);
  const before = await bytesOf(connection, 'board_pages');
  const watched = Object.fromEntries(processes.map(({ pid }, index) => [`worker ${index + 1}`, pid]));
  const all = pids.mongo === undefined ? watched : { ...watched, MongoDB: pids.mongo };
  const { value: ms, cpu } = await withCpuTime(all, () => runs.change(2));
  const parts = await bytesOf(connection, 'rerank_parts');
  const pages = (await bytesOf(connection, 'board_pages')) - before;
  await pause(REST_MS);
  /** Peak memory of each worker, in bytes. */
  const workerBytes = await Promise.all(processes.map(({ pid }) => peakBytes(pid)));
  await Promise.all(processes.map((process) => process.stop()));
  /** `cpu`: seconds by process; `bytes`: of the written pages and of the ranges' Yields, before compression. */
  return { ms, cpu, workerBytes, bytes: pages + parts };
}
