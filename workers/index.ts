/** Queue names and options, producers, and store connections for other modules. */
export {
  boardChannel,
  isJobName,
  JOB_NAMES,
  JOBS,
  type JobName,
  KEY_PREFIX,
  planChannel,
  QUEUE_NAMES,
} from './catalog.ts';
export { enqueueBatch, ensureBatchJob } from './enqueue-batch.ts';
export { enqueueBillingEvent } from './enqueue-billing-event.ts';
export { openAccounts } from './open-accounts.ts';
export { openBilling } from './open-billing.ts';
export { openPurchases } from './open-purchases.ts';
export { openQueues, type Queues } from './open-queues.ts';
export { openBlockingRedis, openFailFastRedis, type RedisClient } from './open-redis.ts';
export { openSubscription } from './open-subscription.ts';
export { type QueueHealth, watchQueues } from './queue-health.ts';
export { watchStores } from './store-health.ts';
export { openVerdictEvents, type VerdictEvents } from './verdict-events.ts';
