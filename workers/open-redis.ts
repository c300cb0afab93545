import { Cluster, type ClusterOptions, Redis, type RedisOptions } from 'ioredis';
import { isRedisClusterUrl, parseRedisClusterUrl } from '../config/redis-address.ts';

/** A connection to one Redis, or to every master of a Redis Cluster. Commands of several keys need one slot for them. */
export type RedisClient = Redis | Cluster;

/** The longest pause between attempts to reconnect, in milliseconds. */
const RECONNECT_MS = 1_000;

/** Pause before a cluster is asked again that is electing, moving slots or missing a master, in milliseconds. */
const CLUSTER_RETRY_MS = 100;

/** Tries of one command while a cluster is not whole: a minute for whoever waits, and a moment for whoever does not. */
const BLOCKING_TRIES = 600;
const FAIL_FAST_TRIES = 4;

type NodeLimits = Pick<RedisOptions, 'connectTimeout' | 'commandTimeout' | 'maxRetriesPerRequest'>;

const retryStrategy = (attempts: number): number => Math.min(attempts * 50, RECONNECT_MS);

/** A connection for workers and event streams: waits for Redis as long as it takes. */
export function openBlockingRedis(url: string, onError: (error: Error) => void): RedisClient {
  const redis = isRedisClusterUrl(url)
    ? openCluster(url, { maxRedirections: BLOCKING_TRIES }, { maxRetriesPerRequest: null })
    : new Redis(url, { maxRetriesPerRequest: null, retryStrategy });
  redis.on('error', onError);
  return redis;
}

/** A connection for requests: a command fails at once while Redis is away. */
export function openFailFastRedis(url: string, onError: (error: Error) => void): RedisClient {
  const redis = isRedisClusterUrl(url)
    ? openCluster(url, { maxRedirections: FAIL_FAST_TRIES, enableOfflineQueue: false }, { maxRetriesPerRequest: 0 })
    : new Redis(url, { maxRetriesPerRequest: 0, enableOfflineQueue: false, retryStrategy });
  redis.on('error', onError);
  return redis;
}

/**
 * A connection for one command of a person: answers once Redis does.
 *
 * @throws when Redis does not answer within so many milliseconds; nothing is left open then.
 */
export async function reachRedis(url: string, withinMs: number): Promise<RedisClient> {
  const limits = { connectTimeout: withinMs, commandTimeout: withinMs, maxRetriesPerRequest: 0 };
  const once = { lazyConnect: true, slotsRefreshTimeout: withinMs, clusterRetryStrategy: () => null };
  const redis = isRedisClusterUrl(url)
    ? openCluster(url, { ...once, maxRedirections: FAIL_FAST_TRIES }, limits)
    : new Redis(url, { ...limits, lazyConnect: true, retryStrategy: () => null });
  redis.on('error', () => undefined);
  try {
    await redis.connect();
    await redis.ping();
    return redis;
  } catch (error) {
    redis.disconnect();
    throw error;
  }
}

/** A connection to one server, the one named or the next of a cluster's in turn. It is not opened anew when it ends. */
export function openRedisOnce(url: string, turn: number): Redis {
  const limits = { maxRetriesPerRequest: null, retryStrategy: () => null };
  const { nodes, options } = isRedisClusterUrl(url) ? readCluster(url) : { nodes: [], options: {} };
  const node = nodes[turn % nodes.length];
  return node === undefined ? new Redis(url, limits) : new Redis({ ...node, ...options, ...limits });
}

/** The servers that a connection leads to: the one there is, or the masters of a cluster that are known by now. */
export function serversOf(redis: RedisClient): readonly Redis[] {
  return redis instanceof Cluster ? redis.nodes('master') : [redis];
}

function openCluster(url: string, options: ClusterOptions, ofNodes: NodeLimits): Cluster {
  const address = readCluster(url);
  return new Cluster([...address.nodes], {
    clusterRetryStrategy: retryStrategy,
    // A `connect()` whose first check finds the cluster not whole never settles, and a worker of BullMQ awaits one after
    // its queue was silent. Unchecked, commands are what is tried again.
    enableReadyCheck: false,
    retryDelayOnFailover: CLUSTER_RETRY_MS,
    retryDelayOnClusterDown: CLUSTER_RETRY_MS,
    retryDelayOnTryAgain: CLUSTER_RETRY_MS,
    // Certificates are for names, which looking them up here would lose.
    dnsLookup: (name, found) => found(null, name),
    ...options,
    redisOptions: { ...ofNodes, ...address.options },
  });
}

/** Named nodes of a cluster, and what a connection to any of its nodes needs. */
function readCluster(url: string) {
  const address = parseRedisClusterUrl(url);
  if (address === null) throw new Error('no address of a Redis Cluster');
  const { nodes, tls, username, password } = address;
  const credentials = {
    ...(username === undefined ? {} : { username }),
    ...(password === undefined ? {} : { password }),
  };
  return { nodes, options: { ...credentials, ...(tls ? { tls: {} } : {}) } };
}
