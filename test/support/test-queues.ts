import { Redis } from 'ioredis';
import { QUEUE_NAMES } from '../../ops/runtime/queues/catalog.ts';
import { openQueues, type Queues } from '../../ops/runtime/queues/open-queues.ts';
import type { FreshDatabase } from './engines.ts';

/** The queues of a database, which other processes may use as well. */
export interface TestQueues {
  readonly redis: Redis;
  readonly queues: Queues;
  /** Empties and closes the queues. */
  close(): Promise<void>;
}

/** Opens the queues of a database on a separate connection. */
export function openTestQueues({ redisUrl, prefix }: Pick<FreshDatabase, 'redisUrl' | 'prefix'>): TestQueues {
  const redis = new Redis(redisUrl, { maxRetriesPerRequest: null });
  const queues = openQueues(redis, prefix, () => undefined);
  return {
    redis,
    queues,
    async close() {
      await Promise.all(QUEUE_NAMES.map((name) => queues[name].obliterate({ force: true })));
      await queues.close();
      redis.disconnect();
    },
  };
}
