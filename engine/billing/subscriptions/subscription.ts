/** The paid plans, by how often they renew. */
export const PAID_PLANS = ['monthly', 'annual'] as const;

export type PaidPlan = (typeof PAID_PLANS)[number];

/**
 * The part of a Stripe subscription that the plan depends on. It is always read completely from Stripe and replaces the stored
 * one; events are not accumulated. Times are milliseconds since the epoch.
 */
export interface Subscription {
  readonly id: string;
  /** Stripe's value: active, trialing, past_due, unpaid, canceled, paused, incomplete, incomplete_expired. */
  readonly status: string;
  readonly plan: PaidPlan;
  readonly periodStart: number;
  readonly periodEnd: number;
  /** When it is set to end; null while it renews. */
  readonly endsAt: number | null;
  /** Why it ended, as Stripe's value: cancellation_requested, payment_failed, payment_disputed; null before its end. */
  readonly endedBy: string | null;
  /** Whether collection is paused at Stripe. */
  readonly collectionPaused: boolean;
  /** Whether the invoice of the current period is paid. */
  readonly paid: boolean;
  /** How the payment of the current period was returned; null when it was not. */
  readonly moneyBack: 'refunded' | 'dispute_lost' | null;
}

/** Whether a subscription may still charge the customer, so that a second one would be paid twice. */
export function isLive({ status }: Pick<Subscription, 'status'>): boolean {
  return ['active', 'trialing', 'past_due', 'unpaid', 'paused'].includes(status);
}
