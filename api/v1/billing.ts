import * as z from 'zod';
import { LIMITS } from '../../config/limits.ts';
import { SubscriptionRequest, SubscriptionResult, WebhookReceipt } from '../../engine/contract/index.ts';
import { accountUnknown } from '../auth/challenge.ts';
import { planPayment } from '../billing/price-text.ts';
import { fromStripe, notConfigured } from '../billing/stripe-problems.ts';
import { defineRoute } from '../context/api-context.ts';
import { fromStorage, Problem } from '../http/problem.ts';
import { NO_QUERY, OWN_ROUTE } from '../http/route.ts';

/** Contract, part 4.4. */
export const createSubscription = defineRoute({
  ...OWN_ROUTE,
  method: 'post',
  path: '/billing/subscribe',
  operationId: 'createSubscription',
  summary: 'Start a subscription',
  description:
    'Returns the address of a page for payment by card. A repeated request returns the same page while it is valid. ' +
    'Without a body, the plan is monthly.',
  tag: 'billing',
  query: NO_QUERY,
  body: { schema: SubscriptionRequest, required: false },
  successes: [{ status: 200, description: 'The address of the payment page.', schema: SubscriptionResult }],
  problems: [
    'plan_invalid',
    'field_unknown',
    'already_subscribed',
    'billing_not_configured',
    'payment_provider_unavailable',
  ],
  documented: ({ billing }) => billing.stripe !== null,
  payment: ({ billing }) => planPayment(billing.prices),
  handle: async ({ body }, { ctx, caller }) => {
    const { members, billing } = ctx;
    const { card } = billing;
    if (card === null) throw notConfigured(ctx.config.contact);
    const { subject, operator } = caller;
    const [email = null] = await fromStorage(() => members.addressesOf(operator));
    const plan = body?.plan ?? 'monthly';
    const outcome = await fromStripe(() => card.subscribe({ subject, operator, email, plan }));
    if (outcome.kind === 'gone') throw accountUnknown(ctx.config);
    if (outcome.kind === 'checkout') {
      return { kind: 'json', status: 200, body: { checkout_url: outcome.url, plan: outcome.plan } };
    }
    const portal = await fromStripe(() => card.portal(operator));
    throw new Problem('already_subscribed', {
      detail: 'Your account already has a subscription; no new one was started.',
      ...(portal === null ? {} : { links: { portal } }),
    });
  },
});

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
  documented: false,
  handle: async ({ body }, { ctx, header }) => {
    const { card, enqueue } = ctx.billing;
    if (card === null) throw notConfigured(ctx.config.contact);
    const signature = header('stripe-signature');
    const received = await fromStorage(() => card.events.receive({ body, signature }));
    if (received.kind === 'forged') throw new Problem('webhook_signature_invalid');
    if (received.kind === 'stored') await enqueue(received.id);
    return { kind: 'json', status: 200, body: { received: true } };
  },
});
