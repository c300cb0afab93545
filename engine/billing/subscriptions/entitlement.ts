import { PAYMENT_GRACE_MS, UNCONFIRMED_RENEWAL_MS } from '../limits.ts';
import type { PaidPlan, Subscription } from '../types.ts';

/**
 * State of an account's plan. `active` renews; `ending` was cancelled and runs to its end; `grace`: the payment of a renewal
 * failed and is retried. Only these three allow submitting. `none` never subscribed.
 */
export type PlanState =
  | 'none'
  | 'active'
  | 'ending'
  | 'grace'
  | 'unpaid'
  | 'paused'
  | 'refunded'
  | 'disputed'
  | 'incomplete'
  | 'ended';

/** What an account's subscriptions entitle it to at one time. Times are milliseconds since the epoch. */
export interface Entitlement {
  readonly eligible: boolean;
  readonly state: PlanState;
  readonly plan: PaidPlan | null;
  /** When it renews; null when it does ineligible. */
  readonly renewsAt: number | null;
  /** When it ends without action; null while it renews, and after its end. */
  readonly endsAt: number | null;
}

const NONE: Entitlement = { eligible: false, state: 'none', plan: null, renewsAt: null, endsAt: null };

/** The best entitlement of an account's subscriptions at a time. */
export function entitlementOf(subscriptions: readonly Subscription[], now: number): Entitlement {
  return subscriptions.map((subscription) => ofOne(subscription, now)).reduce(better, NONE);
}

function better(first: Entitlement, second: Entitlement): Entitlement {
  if (first.eligible !== second.eligible) return first.eligible ? first : second;
  if (!first.eligible) return first.state === 'none' || first.state === 'ended' ? second : first;
  return lastsUntil(second) > lastsUntil(first) ? second : first;
}

function lastsUntil({ renewsAt, endsAt }: Entitlement): number {
  return renewsAt === null ? (endsAt ?? 0) : Number.POSITIVE_INFINITY;
}

function ofOne(subscription: Subscription, now: number): Entitlement {
  const { plan, moneyBack, status } = subscription;
  const ineligible = (state: PlanState): Entitlement => ({ ...NONE, state, plan });
  const until = (state: PlanState, end: number): Entitlement =>
    now < end
      ? { eligible: true, state, plan, renewsAt: null, endsAt: end }
      : ineligible(state === 'grace' ? 'unpaid' : 'ended');
  if (moneyBack !== null) return ineligible(moneyBack === 'refunded' ? 'refunded' : 'disputed');
  switch (status) {
    case 'active':
    case 'trialing': {
      const { endsAt, periodEnd, collectionPaused, paid } = subscription;
      if (collectionPaused && !paid) return ineligible('paused');
      if (endsAt !== null) return until('ending', endsAt);
      if (now >= periodEnd + UNCONFIRMED_RENEWAL_MS) return ineligible('ended');
      return { eligible: true, state: 'active', plan, renewsAt: periodEnd, endsAt: null };
    }
    case 'past_due':
      return until('grace', subscription.periodStart + PAYMENT_GRACE_MS);
    case 'canceled':
      return subscription.endedBy === 'cancellation_requested' && subscription.paid
        ? until('ending', subscription.periodEnd)
        : ineligible('ended');
    case 'unpaid':
    case 'paused':
    case 'incomplete':
      return ineligible(status);
    default:
      return ineligible('ended');
  }
}
