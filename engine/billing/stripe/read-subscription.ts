import type { Stripe } from 'stripe';
import type { Subscription } from '../subscriptions/subscription.ts';

const MS_PER_SECOND = 1_000;

/** What our plans depend on, from Stripe's own object, of which the latest invoice has to be expanded. */
export function readSubscription(
  subscription: Stripe.Subscription,
  moneyBack: Subscription['moneyBack'],
): Subscription | null {
  const [item] = subscription.items.data;
  if (item === undefined) return null;
  const { id, status, cancel_at, cancel_at_period_end, pause_collection, cancellation_details } = subscription;
  const periodEnd = item.current_period_end * MS_PER_SECOND;
  return {
    id,
    status,
    plan: item.price.recurring?.interval === 'year' ? 'annual' : 'monthly',
    periodStart: item.current_period_start * MS_PER_SECOND,
    periodEnd,
    endsAt: cancel_at === null ? (cancel_at_period_end ? periodEnd : null) : cancel_at * MS_PER_SECOND,
    endedBy: cancellation_details?.reason ?? null,
    collectionPaused: pause_collection !== null,
    paid: latestInvoice(subscription)?.status === 'paid',
    moneyBack,
  };
}

/** The invoice of the present period, when it was expanded. */
export function latestInvoice({ latest_invoice }: Stripe.Subscription): Stripe.Invoice | null {
  return typeof latest_invoice === 'string' ? null : latest_invoice;
}

/** The payments that an invoice was paid by, when they were expanded. */
export function paymentIntentsOf(invoice: Stripe.Invoice | null): readonly string[] {
  return (invoice?.payments?.data ?? []).flatMap(({ status, payment }) => {
    const { payment_intent: intent } = payment;
    if (status !== 'paid' || intent === undefined || intent === null) return [];
    return [idOf(intent)];
  });
}

/** The id of an object that may be expanded. */
export function idOf(object: string | { readonly id: string }): string {
  return typeof object === 'string' ? object : object.id;
}
