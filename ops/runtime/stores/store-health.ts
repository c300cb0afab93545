import { singleFlight } from '../../../config/single-flight.ts';
import { MS_PER_SECOND } from '../../../config/units.ts';
import type { StoreMetrics } from '../telemetry/index.ts';
import { type RedisClient, serversOf } from './open-redis.ts';

const CHECK_MS = 2_000;
/** What is stored grows slowly. */
const SIZES_MS = 30_000;
/** A slower reply of Redis says nothing about the clock. */
const MAX_CLOCK_READ_MS = 500;
/** A store that takes longer counts as unavailable. */
const PING_TIMEOUT_MS = 3_000;

/** The store connections of one process. */
interface WatchedStores {
  readonly mongodb: {
    ping(): Promise<void>;
    /** Current usage of the connection pool. */
    readonly poolUse: () => Parameters<StoreMetrics['pool']>[0];
    readonly readStored: () => Promise<Parameters<StoreMetrics['holds']>[0]>;
  };
  readonly redis: RedisClient;
}

/** Whether each store answered the last ping. */
export type StoresUp = Readonly<Record<'mongodb' | 'redis', 'up' | 'down'>>;

/** Pings both stores every few seconds, remembers which of them answered, and reports it as metrics. */
export function watchStores(stores: WatchedStores, metrics: StoreMetrics) {
  const { mongodb, redis } = stores;
  const last: Record<keyof StoresUp, 'up' | 'down'> = { mongodb: 'up', redis: 'up' };
  const pinged = (store: keyof StoresUp, seconds: number | null): void => {
    last[store] = seconds === null ? 'down' : 'up';
    metrics.pinged(store, seconds);
  };
  const checks = [
    periodically(async () => pinged('mongodb', await secondsOf(() => mongodb.ping()))),
    periodically(async () => {
      // A connection that waits for Redis would queue the command until it is back.
      const seconds = redis.status === 'ready' ? await secondsOf(() => pingRedis(redis)) : null;
      pinged('redis', seconds);
      // Within a limit as well: Redis may have become silent since the ping, and the next one has to find out.
      if (seconds !== null) await secondsOf(() => readRedis(redis, metrics));
    }),
    periodically(async () => metrics.pool(mongodb.poolUse())),
    periodically(async () => metrics.holds(await mongodb.readStored()), SIZES_MS),
  ];
  return {
    /** Both are up until the first ping: the process connected to them before. */
    health: (): StoresUp => ({ ...last }),
    close() {
      for (const stop of checks) stop();
    },
  };
}

/** Runs `check` now and periodically, never concurrently; the returned function ends it. */
function periodically(check: () => Promise<void>, everyMs = CHECK_MS): () => void {
  const join = singleFlight<void>();
  // A store that failed between two commands is reported by the next check.
  const once = (): void => void join(check).catch(() => undefined);
  once();
  const timer = setInterval(once, everyMs);
  return () => clearInterval(timer);
}

/** Duration of a request in seconds; null after a timeout or an error. */
async function secondsOf(request: () => Promise<unknown>): Promise<number | null> {
  const began = performance.now();
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<null>((resolve) => {
    timer = setTimeout(resolve, PING_TIMEOUT_MS, null);
  });
  try {
    const completed = await Promise.race([request().then(() => true), late]);
    return completed === null ? null : (performance.now() - began) / MS_PER_SECOND;
  } catch {
    return null;
  } finally {
    clearTimeout(timer);
  }
}

async function readRedis(redis: RedisClient, metrics: StoreMetrics): Promise<void> {
  metrics.redisMemory(...(await fullestMemory(redis)));
  const offset = await clockOffset(redis);
  if (offset !== null) metrics.clockOffset(offset);
}

/** Pings every server. A cluster must also report its state as ok: with a missing master it serves no commands. */
async function pingRedis(redis: RedisClient): Promise<void> {
  await Promise.all(serversOf(redis).map((server) => server.ping()));
  if (!redis.isCluster) return;
  const state = await redis.cluster('INFO');
  if (!state.includes('cluster_state:ok')) throw new Error('the state of the Redis Cluster is not ok');
}

/** Seconds by which this process' clock is ahead of that of a Redis server; null when the reply took too long to tell. */
async function clockOffset(redis: RedisClient): Promise<number | null> {
  const [server] = serversOf(redis);
  if (server === undefined) return null;
  const [began, before] = [Date.now(), performance.now()];
  // Its replies are texts, which its types say are numbers.
  const [seconds = 0, microseconds = 0] = (await server.time()).map(Number);
  const took = performance.now() - before;
  if (took > MAX_CLOCK_READ_MS) return null;
  return (began + took / 2) / MS_PER_SECOND - (seconds + microseconds / 1e6);
}

/** Used memory and limit, in bytes, of the server with the highest usage. */
async function fullestMemory(redis: RedisClient): Promise<[used: number, limit: number]> {
  const memories = await Promise.all(serversOf(redis).map(async (server) => memoryOf(await server.info('memory'))));
  return memories.reduce((fullest, memory) => (share(memory) > share(fullest) ? memory : fullest), [0, 0]);
}

const share = ([used, limit]: readonly [number, number]): number => (limit === 0 ? used : used / limit);

/** Used memory and limit, in bytes, from `INFO memory`. */
function memoryOf(info: string): [used: number, limit: number] {
  const of = (name: string): number => Number(new RegExp(`^${name}:(\\d+)`, 'm').exec(info)?.[1] ?? 0);
  return [of('used_memory'), of('maxmemory')];
}
