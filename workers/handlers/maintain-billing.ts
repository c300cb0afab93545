import { ensureBillingEventJob } from '../../ops/runtime/queues/index.ts';
import type { HandlerContext } from './context.ts';

/** Queues events that lost their job, removes old ones, and deletes erased accounts at Stripe. */
export async function maintainBilling({ billing, queues }: Pick<HandlerContext, 'billing' | 'queues'>): Promise<void> {
  if (billing.card === null) return;
  const { events, deleteForgotten } = billing.card;
  for (const event of await events.waiting()) await ensureBillingEventJob(queues, event);
  await events.deleteOld();
  await deleteForgotten();
}
