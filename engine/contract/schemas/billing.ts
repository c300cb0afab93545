import * as z from 'zod';
import { coded } from './coded.ts';

const plan = z.enum(['monthly', 'annual'], coded('plan_invalid'));

/** Contract, part 2: the body of POST /billing/subscribe, which may be left out. */
export const SubscriptionRequest = z
  .strictObject({ plan: plan.default('monthly') }, { error: objectOrFields })
  .meta({ description: 'The plan to subscribe to.' });

/** Contract, part 2. */
export const SubscriptionResult = z
  .object({
    checkout_url: z.url().meta({ description: 'Where to pay. The same address again while it is good.' }),
    plan: z.string().meta({ description: 'The plan that was selected.' }),
  })
  .meta({ description: 'A subscription that waits to be paid.' });

/** The answer to a webhook. */
export const WebhookReceipt = z
  .object({ received: z.literal(true) })
  .meta({ description: 'The event is stored, or says nothing to us.' });

function objectOrFields({ code }: { readonly code: string }): string {
  return code === 'unrecognized_keys' ? 'field_unknown' : 'body_not_object';
}
