import { Cluster, type ClusterOptions, Redis, type RedisOptions } from 'ioredis';
import { isRedisClusterUrl, parseRedisClusterUrl } from '../../../config/redis-address.ts';

/** A connection to one Redis server, or to a Redis Cluster. Commands with several keys need them in one slot. */
export type RedisClient = Redis | Cluster;

/** Longest pause between reconnects, in milliseconds. */
const RECONNECT_MS = 1_000;

/** Pause before a command is retried on a cluster that is electing, moving slots or missing a master, in milliseconds. */
const CLUSTER_RETRY_MS = 100;

/**
 * Attempts per command while a cluster is unavailable: about a minute for blocking connections, a moment for fail-fast ones.
 */
const BLOCKING_TRIES = 600;
const FAIL_FAST_TRIES = 4;

type NodeLimits = Pick<RedisOptions, 'connectTimeout' | 'commandTimeout' | 'maxRetriesPerRequest'>;
type ServerOptions = Pick<RedisOptions, 'lazyConnect' | 'enableOfflineQueue' | 'retryStrategy'>;

const retryStrategy = (attempts: number): number => Math.min(attempts * 50, RECONNECT_MS);

/** Opens a connection for workers and event streams: commands wait for Redis without a limit. */
export function openBlockingRedis(url: string, onError: (error: Error) => void): RedisClient {
  return openRedis(url, { maxRetriesPerRequest: null }, { maxRedirections: BLOCKING_TRIES }).on('error', onError);
}

/** Opens a connection for requests: commands fail at once while Redis is unavailable. */
export function openFailFastRedis(url: string, onError: (error: Error) => void): RedisClient {
  const once = { enableOfflineQueue: false };
  const redis = openRedis(url, { maxRetriesPerRequest: 0 }, { maxRedirections: FAIL_FAST_TRIES, ...once }, once);
  return redis.on('error', onError);
}

/** For one command of the CLI. @throws, with the connection closed, when Redis does not respond within `withinMs`. */
export async function reachRedis(url: string, withinMs: number): Promise<RedisClient> {
  const limits = { connectTimeout: withinMs, commandTimeout: withinMs, maxRetriesPerRequest: 0 };
  const once = { lazyConnect: true, slotsRefreshTimeout: withinMs, clusterRetryStrategy: () => null };
  const redis = openRedis(
    url,
    limits,
    { ...once, maxRedirections: FAIL_FAST_TRIES },
    { lazyConnect: true, retryStrategy: () => null },
  ).on('error', () => undefined);
  try {
    await redis.connect();
    await redis.ping();
    return redis;
  } catch (error) {
    redis.disconnect();
    throw error;
  }
}

/** Opens a connection to one server: that of the URL, or a cluster node chosen by `turn`. It does not reconnect. */
export function openRedisOnce(url: string, turn: number): Redis {
  const limits = { maxRetriesPerRequest: null, retryStrategy: () => null };
  const { nodes, options } = isRedisClusterUrl(url) ? readCluster(url) : { nodes: [], options: {} };
  const node = nodes[turn % nodes.length];
  return node === undefined ? new Redis(url, limits) : new Redis({ ...node, ...options, ...limits });
}

/** The connected server, or the currently known masters of a cluster. */
export function serversOf(redis: RedisClient): readonly Redis[] {
  return redis instanceof Cluster ? redis.nodes('master') : [redis];
}

/** A client of the server, or of the cluster, that a URL names; `limits` are those of every connection to a server. */
function openRedis(url: string, limits: NodeLimits, ofCluster: ClusterOptions, ofServer?: ServerOptions): RedisClient {
  if (!isRedisClusterUrl(url)) return new Redis(url, { retryStrategy, ...limits, ...ofServer });
  const address = readCluster(url);
  return new Cluster([...address.nodes], {
    clusterRetryStrategy: retryStrategy,
    // A `connect()` whose first check finds the cluster down never settles, and BullMQ workers await one after an idle
    // period. Without the check, the commands are retried instead.
    enableReadyCheck: false,
    retryDelayOnFailover: CLUSTER_RETRY_MS,
    retryDelayOnClusterDown: CLUSTER_RETRY_MS,
    retryDelayOnTryAgain: CLUSTER_RETRY_MS,
    // Certificates contain host names, which a lookup here would replace by addresses.
    dnsLookup: (name, found) => found(null, name),
    ...ofCluster,
    redisOptions: { ...limits, ...address.options },
  });
}

/** The configured nodes of a cluster and the options for each node. */
function readCluster(url: string) {
  const address = parseRedisClusterUrl(url);
  if (address === null) throw new Error('not a Redis Cluster URL');
  const { nodes, tls, username, password } = address;
  const credentials = {
    ...(username === undefined ? {} : { username }),
    ...(password === undefined ? {} : { password }),
  };
  return { nodes, options: { ...credentials, ...(tls ? { tls: {} } : {}) } };
}
