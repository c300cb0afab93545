import { Redis } from 'ioredis';

/** The longest pause between attempts to reconnect, in milliseconds. */
const RECONNECT_MS = 1_000;

const retryStrategy = (attempts: number): number => Math.min(attempts * 50, RECONNECT_MS);

/** A connection for workers and event streams: waits for Redis as long as it takes. */
export function openPatientRedis(url: string, onError: (error: Error) => void): Redis {
  const redis = new Redis(url, { maxRetriesPerRequest: null, retryStrategy });
  redis.on('error', onError);
  return redis;
}

/** A connection for requests: a command fails at once while Redis is away. */
export function openPromptRedis(url: string, onError: (error: Error) => void): Redis {
  const redis = new Redis(url, { maxRetriesPerRequest: 0, enableOfflineQueue: false, retryStrategy });
  redis.on('error', onError);
  return redis;
}
