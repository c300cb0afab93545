import { setTimeout as pause } from 'node:timers/promises';
import type { Connection } from '../../../engine/mongo/index.ts';
import type { Ranking } from '../../../engine/ranking/index.ts';
import type { BenchContext } from '../frame/bench.ts';
import { peakBytes, withCpuTime } from '../frame/cpu-time.ts';
import { type BenchProcess, serviceEnvironment, startProduct } from '../frame/service/start-service.ts';
import { median, sum } from '../frame/statistics.ts';
import { openRerankRuns } from './rerank-runs.ts';
import { bytesOf } from './server-ranking.ts';

/** Time for the jobs of a start, which are not part of a re-rank; and for committers to read the new board, whose memory counts. */
const REST_MS = 5_000;

/** Costs of a re-rank by worker processes. */
export type RerankCosts = Awaited<ReturnType<typeof measureRerank>>;

/**
 * Measures a re-rank of the population under methodology 2 by `workers` processes, from the request to the switch. Then
 * `rounds` re-ranks under methodology 3, which evaluates the bounds of its rules for every operator, alternating with further
 * ones under methodology 2, which has no rules.
 */
export async function measureRerank(
  context: BenchContext,
  connection: Connection,
  ranking: Ranking,
  { workers, rounds }: { readonly workers: number; readonly rounds: number },
) {
  const { pids } = await context.engines();
  const processes: BenchProcess[] = [];
  for (let index = 0; index < workers; index++) {
    processes.push(await startProduct(context, 'worker', await serviceEnvironment(context)));
  }
  const runs = await openRerankRuns(context, connection, ranking);
  await pause(REST_MS);
  const before = await bytesOf(connection, 'board_pages');
  const watched = Object.fromEntries(processes.map(({ pid }, index) => [`worker ${index + 1}`, pid]));
  const all = pids.mongo === undefined ? watched : { ...watched, MongoDB: pids.mongo };
  const { value: ms, cpu } = await withCpuTime(all, () => runs.change(2));
  const parts = await bytesOf(connection, 'rerank_parts');
  const pages = (await bytesOf(connection, 'board_pages')) - before;
  await pause(REST_MS);
  /** Peak memory of each worker, in bytes. */
  const workerBytes = await Promise.all(processes.map(({ pid }) => peakBytes(pid)));
  const plain: ChangeCosts[] = [];
  const withRules: ChangeCosts[] = [];
  const measure = async (methodology: number): Promise<ChangeCosts> => {
    const change = await withCpuTime(all, () => runs.change(methodology));
    return { ms: change.value, cpu: sum(Object.values(change.cpu)) };
  };
  for (let round = 0; round < rounds; round++) {
    withRules.push(await measure(3));
    plain.push(await measure(2));
  }
  await Promise.all(processes.map((process) => process.stop()));
  /**
   * `cpu`: seconds by process; `bytes`: of the written pages and of the ranges' Yields, before compression; `plain` and
   * `withRules`: medians of further re-ranks, alternating.
   */
  return { ms, cpu, workerBytes, bytes: pages + parts, plain: medianOf(plain), withRules: medianOf(withRules) };
}

interface ChangeCosts {
  readonly ms: number;
  readonly cpu: number;
}

function medianOf(changes: readonly ChangeCosts[]): ChangeCosts {
  return { ms: median(changes.map(({ ms }) => ms)), cpu: median(changes.map(({ cpu }) => cpu)) };
}
