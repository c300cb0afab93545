/** Connections to Redis, and the health of both stores. */
export { openBlockingRedis, openFailFastRedis, type RedisClient, reachRedis } from './open-redis.ts';
export { openSubscription } from './open-subscription.ts';
export { type StoresUp, watchStores } from './store-health.ts';
