import type { Stripe } from 'stripe';
import { MS_PER_SECOND } from '../../../config/units.ts';
import { PAID_PLANS, type PaidPlan, type Subscription } from '../types.ts';

/** The product's id at Stripe, chosen here so that it can be looked up. */
export const PRODUCT = 'upsilon_plan';
export const INTERVALS = { monthly: 'month', annual: 'year' } as const satisfies Record<PaidPlan, string>;

/** The plan of a price of the product, also of former prices; null for other products and intervals. */
export function planOf({ product, recurring }: Pick<Stripe.Price, 'product' | 'recurring'>): PaidPlan | null {
  if (idOf(product) !== PRODUCT || recurring?.interval_count !== 1) return null;
  return PAID_PLANS.find((plan) => INTERVALS[plan] === recurring.interval) ?? null;
}

/** The latest invoice must be expanded; null when the subscription is to another product. */
export function readSubscription(
  subscription: Stripe.Subscription,
  moneyBack: Subscription['moneyBack'],
): Subscription | null {
  const [ours] = subscription.items.data.flatMap((each) => {
    const plan = planOf(each.price);
    return plan === null ? [] : [{ item: each, plan }];
  });
  if (ours === undefined) return null;
  const { item, plan } = ours;
  const { id, status, cancel_at, cancel_at_period_end, pause_collection, cancellation_details } = subscription;
  const periodEnd = item.current_period_end * MS_PER_SECOND;
  return {
    id,
    status,
    plan,
    periodStart: item.current_period_start * MS_PER_SECOND,
    periodEnd,
    endsAt: cancel_at === null ? (cancel_at_period_end ? periodEnd : null) : cancel_at * MS_PER_SECOND,
    endedBy: cancellation_details?.reason ?? null,
    collectionPaused: pause_collection !== null,
    paid: latestInvoice(subscription)?.status === 'paid',
    moneyBack,
  };
}

/** The invoice of the current period; null unless expanded. */
export function latestInvoice({ latest_invoice }: Stripe.Subscription): Stripe.Invoice | null {
  return typeof latest_invoice === 'string' ? null : latest_invoice;
}

/** The payments of an invoice, if expanded. */
export function paymentIntentsOf(invoice: Stripe.Invoice | null): readonly string[] {
  return (invoice?.payments?.data ?? []).flatMap(({ status, payment }) => {
    const { payment_intent: intent } = payment;
    if (status !== 'paid' || intent === undefined || intent === null) return [];
    return [idOf(intent)];
  });
}

/** The id of an object that may or may not be expanded. */
export function idOf(object: string | { readonly id: string }): string {
  return typeof object === 'string' ? object : object.id;
}
