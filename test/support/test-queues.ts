import { Redis } from 'ioredis';
import { QUEUE_NAMES, type QueueName, queuePrefix } from '../../ops/runtime/queues/catalog.ts';
import { openQueues, type Queues } from '../../ops/runtime/queues/open-queues.ts';
import { type FreshDatabase, freshDatabase } from './engines.ts';

/** The queues of a database, which other processes may use as well. */
export interface TestQueues {
  readonly database: FreshDatabase;
  readonly redis: Redis;
  readonly queues: Queues;
  /** The options of a worker of one. */
  worker(name: QueueName): { readonly connection: Redis; readonly prefix: string };
  /** Empties and closes the queues. */
  close(): Promise<void>;
}

/** Opens the queues of a database on a separate connection. */
export function openTestQueues(database: FreshDatabase): TestQueues {
  const { redisUrl, prefix } = database;
  const redis = new Redis(redisUrl, { maxRetriesPerRequest: null });
  const queues = openQueues(redis, prefix, () => undefined);
  return {
    database,
    redis,
    queues,
    worker: (name) => ({ connection: redis, prefix: queuePrefix(prefix, name) }),
    async close() {
      await Promise.all(QUEUE_NAMES.map((name) => queues[name].obliterate({ force: true })));
      await queues.close();
      redis.disconnect();
    },
  };
}

/** Opens queues of their own, with a new database beside them. */
export async function openFreshQueues(): Promise<TestQueues> {
  return openTestQueues(await freshDatabase());
}
