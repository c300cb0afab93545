import type { Queue } from 'bullmq';
import type { JobName, Payload } from './catalog.ts';
import { jobOptions, type Queues } from './open-queues.ts';

/** Adds a job whose id is the id of the work, so that duplicates are not added. */
async function add<Name extends JobName>(queue: Queue, name: Name, id: string, payload: Payload<Name>): Promise<void> {
  await queue.add(name, payload, { ...jobOptions(name), jobId: id });
}

/** Ensures that a job is live: retries a permanently failed one, and adds a missing one. */
async function ensure<Name extends JobName>(queue: Queue, name: Name, id: string, payload: Payload<Name>) {
  const job = await queue.getJob(id);
  if (job === undefined) return add(queue, name, id, payload);
  const state = await job.getState();
  if (state === 'failed') return job.retry('failed', { resetAttemptsMade: true });
  // A key in no BullMQ list, left by an interrupted wipe of Redis, would block a new job with its id.
  if (state === 'unknown' || state === 'completed') {
    await job.remove();
    await add(queue, name, id, payload);
  }
}

/** Queues a logged batch. Without `entries` the worker reads them from the log. */
export function enqueueBatch(
  queues: Pick<Queues, 'ingest'>,
  batch: string,
  entries?: Readonly<Payload<'process-batch'>['entries']>,
): Promise<void> {
  return add(queues.ingest, 'process-batch', batch, {
    batch,
    ...(entries === undefined ? {} : { entries: [...entries] }),
  });
}

/** Ensures that a batch without verdicts has a live job. */
export function ensureBatchJob(queues: Pick<Queues, 'ingest'>, batch: string): Promise<void> {
  return ensure(queues.ingest, 'process-batch', batch, { batch });
}

/** Queues a stored Stripe event. */
export function enqueueBillingEvent(queues: Pick<Queues, 'billing'>, event: string): Promise<void> {
  return add(queues.billing, 'apply-billing-event', event, { event });
}

/** Ensures that an event which was not applied has a live job. */
export function ensureBillingEventJob(queues: Pick<Queues, 'billing'>, event: string): Promise<void> {
  return ensure(queues.billing, 'apply-billing-event', event, { event });
}
