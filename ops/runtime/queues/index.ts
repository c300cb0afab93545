/** The job catalog, the queues and their health, producers of jobs, and names in Redis. */
export * from './catalog.ts';
export * from './enqueue.ts';
export { jobOptions, openQueues, type Queues } from './open-queues.ts';
export { watchQueues } from './queue-health.ts';
export { openVerdictEvents } from './verdict-events.ts';
