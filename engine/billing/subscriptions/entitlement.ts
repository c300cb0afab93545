import { PAYMENT_GRACE_MS, RENEWAL_NEWS_MS } from '../limits.ts';
import type { PaidPlan, Subscription } from './subscription.ts';

/**
 * Where an account stands: `active` renews; `ending` was cancelled and runs to its end; `grace`: a renewal could not be
 * paid yet. Those three let submit. `unpaid`, `paused`, `refunded`, `disputed`, `incomplete` and `ended` do not, nor
 * does `none`, which never subscribed.
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

/** What an account's subscriptions give it at one moment. Times are milliseconds since the epoch. */
export interface Entitlement {
  readonly eligible: boolean;
  readonly state: PlanState;
  readonly plan: PaidPlan | null;
  /** When it is paid for again; null when it will not be. */
  readonly renewsAt: number | null;
  /** When it ends unless something is done; null while it renews, and once it is over. */
  readonly endsAt: number | null;
}

const NONE: Entitlement = { eligible: false, state: 'none', plan: null, renewsAt: null, endsAt: null };

/** The best that any of an account's subscriptions gives at a moment. */
export function entitlementOf(subscriptions: readonly Subscription[], now: number): Entitlement {
  return subscriptions.map((subscription) => ofOne(subscription, now)).reduce(better, NONE);
}

function better(one: Entitlement, other: Entitlement): Entitlement {
  if (one.eligible !== other.eligible) return one.eligible ? one : other;
  if (!one.eligible) return one.state === 'none' || one.state === 'ended' ? other : one;
  return lastsUntil(other) > lastsUntil(one) ? other : one;
}

function lastsUntil({ renewsAt, endsAt }: Entitlement): number {
  return renewsAt === null ? (endsAt ?? 0) : Number.POSITIVE_INFINITY;
}

function ofOne(subscription: Subscription, now: number): Entitlement {
  const { plan, moneyBack, status } = subscription;
  const not = (state: PlanState): Entitlement => ({ eligible: false, state, plan, renewsAt: null, endsAt: null });
  const until = (state: PlanState, end: number): Entitlement =>
    now < end
      ? { eligible: true, state, plan, renewsAt: null, endsAt: end }
      : not(state === 'grace' ? 'unpaid' : 'ended');
  if (moneyBack !== null) return not(moneyBack === 'refunded' ? 'refunded' : 'disputed');
  switch (status) {
    case 'active':
    case 'trialing': {
      const { endsAt, periodEnd, collectionPaused, paid } = subscription;
      if (collectionPaused && !paid) return not('paused');
      if (endsAt !== null) return until('ending', endsAt);
      if (now >= periodEnd + RENEWAL_NEWS_MS) return not('ended');
      return { eligible: true, state: 'active', plan, renewsAt: periodEnd, endsAt: null };
    }
    case 'past_due':
      return until('grace', subscription.periodStart + PAYMENT_GRACE_MS);
    case 'canceled':
      return subscription.endedBy === 'cancellation_requested' && subscription.paid
        ? until('ending', subscription.periodEnd)
        : not('ended');
    case 'unpaid':
    case 'paused':
    case 'incomplete':
      return not(status);
    default:
      return not('ended');
  }
}
