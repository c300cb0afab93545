import { setTimeout as pause } from 'node:timers/promises';
import type { Connection } from '../../../engine/mongo/index.ts';
import type { Ranking } from '../../../engine/ranking/index.ts';
import { createRerankJobs } from '../../../workers/rerank-jobs.ts';
import { KEY_PREFIX, openQueues } from '../../runtime/queues/index.ts';
import { openBlockingRedis } from '../../runtime/stores/index.ts';
import type { BenchContext } from '../frame/bench.ts';
import { peakBytes, withCpuTime } from '../frame/cpu-time.ts';
import { type BenchProcess, serviceEnvironment, startBenchWorker } from '../frame/service/start-service.ts';
import { bytesOf } from './server-ranking.ts';

const POLL_INTERVAL_MS = 50;
/** Time limit of a run. */
const LIMIT_MS = 5 * 60_000;
/** Time in which committers read the new board, whose memory counts. */
const REST_MS = 5_000;

/** Costs of a re-rank by worker processes. */
export interface RerankCosts {
  readonly ms: number;
  /** CPU seconds by process. */
  readonly cpu: Readonly<Record<string, number>>;
  /** Peak memory of each worker, in bytes. */
  readonly workerBytes: readonly number[];
  /** Bytes of the written pages and of the ranges' Yields, before compression. */
  readonly bytes: number;
}

/** Measures a re-rank of the population under methodology 2 by `workers` processes, from the request to the switch. */
export async function measureRerank(
  context: BenchContext,
  connection: Connection,
  ranking: Ranking,
  workers: number,
): Promise<RerankCosts> {
  const { redisUrl, pids } = await context.engines();
  const processes: BenchProcess[] = [];
  for (let index = 0; index < workers; index++) {
    processes.push(await startBenchWorker(context, await serviceEnvironment(context)));
  }
  const redis = openBlockingRedis(redisUrl, () => undefined);
  const queues = openQueues(redis, KEY_PREFIX, () => undefined);
  const before = await bytesOf(connection, 'board_pages');
  const watched = Object.fromEntries(processes.map(({ pid }, index) => [`worker ${index + 1}`, pid]));
  const all = pids.mongo === undefined ? watched : { ...watched, MongoDB: pids.mongo };
  const started = performance.now();
  const { cpu } = await withCpuTime(all, async () => {
    const run = await ranking.rerank.start({ kind: 'activate', methodology: 2 });
    if (run.kind !== 'started') throw new Error(`starting the run returned ${run.kind}`);
    await ranking.rerank.supervise(createRerankJobs(queues));
    await switched(connection, ranking);
  });
  const ms = performance.now() - started;
  const parts = await bytesOf(connection, 'rerank_parts');
  const pages = (await bytesOf(connection, 'board_pages')) - before;
  await queues.close();
  redis.disconnect();
  await pause(REST_MS);
  const workerBytes = await Promise.all(processes.map(({ pid }) => peakBytes(pid)));
  await Promise.all(processes.map((process) => process.stop()));
  return { ms, cpu, workerBytes, bytes: pages + parts };
}

/** Waits for the switch by polling the manifest, which costs the workers almost nothing. */
async function switched(connection: Connection, ranking: Ranking): Promise<void> {
  const manifests = connection.collection<{ _id: string; methodology: number; rerank?: object | null }>(
    'board_manifests',
  );
  for (const until = performance.now() + LIMIT_MS; performance.now() < until; await pause(POLL_INTERVAL_MS)) {
    const manifest = await manifests.findOne({ _id: 'manifest' }, { projection: { methodology: 1, rerank: 1 } });
    if (manifest?.methodology === 2) return;
    if ((manifest?.rerank ?? null) !== null) continue;
    const { ended } = await ranking.rerank.status();
    throw new Error(`the run ended without a switch: ${ended[0]?.error}`);
  }
  throw new Error('the board was not switched: see the logs of the workers');
}
