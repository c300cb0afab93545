/** The paid plans, by how often they renew. */
export const PAID_PLANS = ['monthly', 'annual'] as const;

export type PaidPlan = (typeof PAID_PLANS)[number];

/**
 * What Stripe says of one subscription, as far as the plan depends on it. It is read whole from Stripe's own objects and
 * replaces what was known before: no event is added to another. Times are milliseconds since the epoch.
 */
export interface Subscription {
  readonly id: string;
  /** Stripe's own word: active, trialing, past_due, unpaid, canceled, paused, incomplete, incomplete_expired. */
  readonly status: string;
  readonly plan: PaidPlan;
  readonly periodStart: number;
  readonly periodEnd: number;
  /** When it is set to end; null while it renews. */
  readonly endsAt: number | null;
  /** Who ended it, in Stripe's words: cancellation_requested, payment_failed, payment_disputed; null while nobody did. */
  readonly endedBy: string | null;
  /** Whether Stripe was told to collect nothing for now. */
  readonly collectionPaused: boolean;
  /** Whether the invoice of the present period is paid. */
  readonly paid: boolean;
  /** Whether the money of the present period went back, and how. */
  readonly moneyBack: 'refunded' | 'dispute_lost' | null;
}

/** Whether a subscription may still take money: another one beside it would be paid twice. */
export function isLive({ status }: Pick<Subscription, 'status'>): boolean {
  return ['active', 'trialing', 'past_due', 'unpaid', 'paused'].includes(status);
}
