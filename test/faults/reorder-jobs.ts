import { randomUUID } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import type { Connection } from '../../engine/mongo/index.ts';
import { KEY_PREFIX, openQueues, type Queues } from '../../ops/runtime/queues/index.ts';
import { openFailFastRedis, type RedisClient } from '../../ops/runtime/stores/index.ts';
import type { SeededRandom } from '../support/seeded-random.ts';

const REPEATED_BATCHES = 30;

/** Shuffles the waiting list atomically, so that no job is missing in between. */
const SHUFFLE = `
  local jobs = redis.call('LRANGE', KEYS[1], 0, -1)
  math.randomseed(tonumber(ARGV[1]))
  for last = #jobs, 2, -1 do
    local other = math.random(last)
    jobs[last], jobs[other] = jobs[other], jobs[last]
  end
  redis.call('DEL', KEYS[1])
  for _, job in ipairs(jobs) do redis.call('RPUSH', KEYS[1], job) end
  return #jobs`;

/** Queues additional jobs for logged batches, with new ids and in random order. */
export async function repeatJobs(redisUrl: string, { db }: Connection, random: SeededRandom): Promise<void> {
  const log = db!.collection<{ batch: string }>('snapshots');
  const batches = random.shuffled(await log.distinct('batch')).slice(0, REPEATED_BATCHES);
  await withQueues(redisUrl, async ({ ingest }) => {
    for (const batch of batches) {
      await ingest.add('process-batch', { batch }, { jobId: `again-${randomUUID()}`, removeOnComplete: true });
    }
  });
}

/** Pauses the queue for `forMs`, and shuffles the waiting jobs before it resumes. */
export async function shuffleWaitingJobs(redisUrl: string, forMs: number, random: SeededRandom): Promise<void> {
  await withQueues(redisUrl, async ({ ingest }, redis) => {
    await ingest.pause();
    try {
      await pause(forMs);
      for (const list of ['paused', 'wait'])
        await redis.eval(SHUFFLE, 1, ingest.toKey(list), random.integer(1, 2 ** 31));
    } finally {
      await resume(redisUrl);
    }
  });
}

/** Resumes the queue, also after Redis failed meanwhile. */
async function resume(redisUrl: string): Promise<void> {
  for (let resumed = false; !resumed; ) {
    resumed = await withQueues(redisUrl, ({ ingest }) => ingest.resume()).then(
      () => true,
      () => pause(100, false),
    );
  }
}

async function withQueues(redisUrl: string, use: (queues: Queues, redis: RedisClient) => Promise<void>): Promise<void> {
  const redis = openFailFastRedis(redisUrl, () => undefined);
  const queues = openQueues(redis, KEY_PREFIX, () => undefined);
  try {
    await use(queues, redis);
  } finally {
    await queues.close();
    redis.disconnect();
  }
}
