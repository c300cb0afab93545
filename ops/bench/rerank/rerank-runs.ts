import { setTimeout as pause } from 'node:timers/promises';
import type { Connection } from '../../../engine/mongo/index.ts';
import type { Ranking } from '../../../engine/ranking/index.ts';
import { createRerankJobs } from '../../../workers/rerank-jobs.ts';
import { KEY_PREFIX, openQueues } from '../../runtime/queues/index.ts';
import { openBlockingRedis } from '../../runtime/stores/index.ts';
import type { BenchContext } from '../frame/bench.ts';
import { timed } from '../frame/statistics.ts';

const POLL_INTERVAL_MS = 50;
/** Time limit of a run. */
const LIMIT_MS = 10 * 60_000;

/** Starts re-ranks by worker processes, and waits for their ends by polling the manifest, which costs the workers almost nothing. */
export async function openRerankRuns(context: BenchContext, connection: Connection, { rerank }: Ranking) {
  const redis = openBlockingRedis((await context.engines()).redisUrl, () => undefined);
  const queues = openQueues(redis, KEY_PREFIX, () => undefined);
  context.onClose(() => queues.close().finally(() => redis.disconnect()));
  const jobs = createRerankJobs(queues);
  const manifests = connection.collection<{ _id: string; methodology: number; rerank?: object | null }>(
    'board_manifests',
  );
  const state = async () => {
    const found = await manifests.findOne({ _id: 'manifest' }, { projection: { methodology: 1, rerank: 1 } });
    return { methodology: found?.methodology, isRunning: (found?.rerank ?? null) !== null };
  };
  const begin = async (methodology: number): Promise<void> => {
    const run = await rerank.start({ kind: 'activate', methodology });
    if (run.kind !== 'started') throw new Error(`starting a run returned ${run.kind}`);
    await rerank.supervise(jobs);
  };
  /** Waits until no run is in progress, and returns the board's methodology. */
  const ended = async () => {
    for (const until = performance.now() + LIMIT_MS; performance.now() < until; await pause(POLL_INTERVAL_MS)) {
      const { methodology, isRunning } = await state();
      if (!isRunning) return methodology;
    }
    throw new Error('a run does not end: see the logs of the workers');
  };
  /** Switches the methodology. Returns the duration in milliseconds. */
  const change = async (methodology: number): Promise<number> => {
    const { ms, value: found } = await timed(async () => {
      await begin(methodology);
      return ended();
    });
    if (found === methodology) return ms;
    throw new Error(`a run ended without a switch: ${(await rerank.status()).ended[0]?.error}`);
  };
  return { state, begin, ended, change };
}
