import type { Payload } from './catalog.ts';
import { ensureJob } from './ensure-job.ts';
import { jobOptions, type Queues } from './open-queues.ts';

/** Queues a stored event. The job id is the event's id, so that duplicates are not added. */
export async function enqueueBillingEvent(queues: Pick<Queues, 'billing'>, event: string): Promise<void> {
  const payload: Payload<'apply-billing-event'> = { event };
  await queues.billing.add('apply-billing-event', payload, { ...jobOptions('apply-billing-event'), jobId: event });
}

/** Ensures that an event which was not applied has a live job. */
export async function ensureBillingEventJob(queues: Pick<Queues, 'billing'>, event: string): Promise<void> {
  await ensureJob(queues.billing, event, () => enqueueBillingEvent(queues, event));
}
