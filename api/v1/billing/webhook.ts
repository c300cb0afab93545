import * as z from 'zod';
import { LIMITS } from '../../../config/limits.ts';
import { WebhookReceipt } from '../../../engine/contract/index.ts';
import { notConfigured } from '../../billing/stripe-problems.ts';
import { defineRoute } from '../../context/api-context.ts';
import { fromStorage, Problem } from '../../http/problem.ts';

/** The webhook of Stripe; the API description leaves it out. */
export const receiveWebhook = defineRoute({
  method: 'post',
  surface: 'base',
  path: '/billing/webhook',
  operationId: 'receiveWebhook',
  summary: 'Receive an event',
  description: 'Receives a signed event from Stripe and stores it before acknowledging it.',
  tag: 'billing',
  auth: 'public',
  body: { schema: z.instanceof(Buffer), required: true, raw: { maxBytes: LIMITS.http.webhookBytes } },
  successes: [
    { status: 200, description: 'The event is stored, or not relevant to this service.', schema: WebhookReceipt },
  ],
  problems: ['webhook_signature_invalid', 'billing_not_configured'],
  limit: 'webhooks',
  cache: null,
  documented: false,
  handle: async ({ body }, { ctx, header }) => {
    const { card, enqueue } = ctx.billing;
    if (card === null) throw notConfigured();
    const signature = header('stripe-signature');
    const received = await fromStorage(() => card.events.receive({ body, signature }));
    if (received.kind === 'forged') throw new Problem('webhook_signature_invalid');
    if (received.kind === 'stored') await enqueue(received.id);
    return { kind: 'json', status: 200, body: { received: true } };
  },
});
