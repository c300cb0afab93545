import type { Payload } from './catalog.ts';
import { ensureJob } from './ensure-job.ts';
import { jobOptions, type Queues } from './open-queues.ts';

/** Gives an event that is stored its job, under the event's own name: a second one for the same event is not made. */
export async function enqueueBillingEvent(queues: Pick<Queues, 'billing'>, event: string): Promise<void> {
  const payload: Payload<'apply-billing-event'> = { event };
  await queues.billing.add('apply-billing-event', payload, { ...jobOptions('apply-billing-event'), jobId: event });
}

/** Makes sure that an event which was not applied has a job that is alive. */
export async function ensureBillingEventJob(queues: Pick<Queues, 'billing'>, event: string): Promise<void> {
  await ensureJob(queues.billing, event, () => enqueueBillingEvent(queues, event));
}
