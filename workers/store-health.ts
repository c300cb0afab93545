import { type Connection, pingMongo, watchPool } from '../engine/mongo/index.ts';
import type { StoreMetrics } from '../ops/runtime/telemetry/index.ts';
import { type RedisClient, serversOf } from './open-redis.ts';

const LOOK_MS = 2_000;
/** A store that takes longer to answer is as good as away. */
const ANSWER_WITHIN_MS = 3_000;
const MS_PER_SECOND = 1_000;

/** The stores of one process. */
export interface WatchedStores {
  readonly connection: Connection;
  readonly redis: RedisClient;
}

/** Pings both stores every few seconds and tells how they are. What they say of themselves goes nowhere else. */
export function watchStores(stores: WatchedStores, metrics: StoreMetrics): { close(): void } {
  const { connection, redis } = stores;
  const poolUse = watchPool(connection);
  const looks = [
    everyLook(async () => metrics.pinged('mongodb', await secondsOf(() => pingMongo(connection)))),
    everyLook(async () => {
      // A connection that waits for Redis would keep the question until it is back.
      const seconds = redis.status === 'ready' ? await secondsOf(() => pingRedis(redis)) : null;
      metrics.pinged('redis', seconds);
      if (seconds !== null) metrics.redisMemory(...(await fullestMemory(redis)));
    }),
    everyLook(async () => metrics.pool(poolUse())),
  ];
  return {
    close() {
      for (const stop of looks) stop();
    },
  };
}

/** Looks at once and then again and again, never twice at a time; the answer ends it. */
function everyLook(look: () => Promise<void>): () => void {
  let looking = false;
  const once = (): void => {
    if (looking) return;
    looking = true;
    look()
      // A store that went away between two questions: the next look says so.
      .catch(() => undefined)
      .finally(() => {
        looking = false;
      });
  };
  once();
  const timer = setInterval(once, LOOK_MS);
  return () => clearInterval(timer);
}

/** How long an answer took; null when it did not come in time or was an error. */
async function secondsOf(ask: () => Promise<unknown>): Promise<number | null> {
  const began = performance.now();
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<null>((resolve) => {
    timer = setTimeout(() => resolve(null), ANSWER_WITHIN_MS);
  });
  try {
    const answered = await Promise.race([ask().then(() => true), late]);
    return answered === null ? null : (performance.now() - began) / MS_PER_SECOND;
  } catch {
    return null;
  } finally {
    clearTimeout(timer);
  }
}

/** Asks every server; a cluster must be whole, too: while one of its masters is missing it serves nobody. */
async function pingRedis(redis: RedisClient): Promise<void> {
  await Promise.all(serversOf(redis).map((server) => server.ping()));
  if (!redis.isCluster) return;
  const state = await redis.cluster('INFO');
  if (!state.includes('cluster_state:ok')) throw new Error('the Redis Cluster is not whole');
}

/** Used memory and its limit in bytes of the server that is fullest. */
async function fullestMemory(redis: RedisClient): Promise<[used: number, limit: number]> {
  const memories = await Promise.all(serversOf(redis).map(async (server) => memoryOf(await server.info('memory'))));
  return memories.reduce((fullest, memory) => (share(memory) > share(fullest) ? memory : fullest), [0, 0]);
}

const share = ([used, limit]: readonly [number, number]): number => (limit === 0 ? used : used / limit);

/** Used memory and its limit in bytes, from what Redis says under `INFO memory`. */
function memoryOf(info: string): [used: number, limit: number] {
  const of = (name: string): number => Number(new RegExp(`^${name}:(\\d+)`, 'm').exec(info)?.[1] ?? 0);
  return [of('used_memory'), of('maxmemory')];
}
