import * as z from 'zod';
import { coded } from './coded.ts';
import { described } from './described.ts';

const plan = z.enum(['monthly', 'annual'], coded('plan_invalid'));

/** Contract, part 2: the body of POST /billing/subscribe, which is optional. */
export const SubscriptionRequest = z
  .strictObject({ plan: plan.default('monthly') }, { error: objectOrFields })
  .meta({ description: 'The plan to subscribe to.' });

/** Contract, part 2. */
export const SubscriptionResult = z
  .object({
    checkout_url: described(z.url(), 'Where to pay. Repeated requests return the same address while it is valid.'),
    plan: described(z.string(), 'The plan that was selected.'),
  })
  .meta({ description: 'A subscription to be paid.' });

/** The response to a webhook. */
export const WebhookReceipt = z
  .object({ received: z.literal(true) })
  .meta({ description: 'The event is stored, or not relevant to this service.' });

function objectOrFields({ code }: { readonly code: string }): string {
  return code === 'unrecognized_keys' ? 'field_unknown' : 'body_not_object';
}
