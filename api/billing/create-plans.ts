import { LRUCache } from 'lru-cache';
import { atMost } from '../../config/lru-options.ts';
import { type Account, FREE_PLAN } from '../../engine/accounts/index.ts';
import { type Billing, type Entitlement, entitlementOf, type Subscription } from '../../engine/billing/index.ts';
import type { Clock } from '../../engine/ranking/index.ts';

/** Entries of one process, at less than 1 kB each. */
const MAX_CACHED_ACCOUNTS = 65_536;

/**
 * Time to live of a cached account, in milliseconds. Changes are published at once; this bounds the effect of a lost message.
 */
const CACHE_TTL_MS = 5_000;

type PlanOf = Pick<Account, 'operator' | 'plan'>;

/** The plans of accounts, and whether they allow submitting. */
export type Plans = ReturnType<typeof createPlans>;

/** Plans over the stored subscriptions. The entitlement is computed for each call, because it depends on the time. */
export function createPlans(billing: Pick<Billing, 'subscriptionsOf'>, clock: Clock) {
  const known = new LRUCache<number, { readonly at: number; readonly subscriptions: readonly Subscription[] }>(
    atMost(MAX_CACHED_ACCOUNTS),
  );
  /** Counts changes of accounts that are being read: a read that began before a change is not cached. */
  const reading = new Map<number, { changes: number; readers: number }>();

  async function load(operator: number): Promise<readonly Subscription[]> {
    const entry = reading.get(operator) ?? { changes: 0, readers: 0 };
    const { changes } = entry;
    entry.readers += 1;
    reading.set(operator, entry);
    try {
      const at = clock();
      const subscriptions = await billing.subscriptionsOf(operator);
      if (entry.changes === changes) known.set(operator, { at, subscriptions });
      return subscriptions;
    } finally {
      entry.readers -= 1;
      if (entry.readers === 0) reading.delete(operator);
    }
  }

  async function entitlement(operator: number): Promise<Entitlement> {
    const now = clock();
    const cached = known.get(operator);
    const isFresh = cached !== undefined && Math.abs(now - cached.at) < CACHE_TTL_MS;
    return entitlementOf(isFresh ? cached.subscriptions : await load(operator), now);
  }

  return {
    /** Whether the account's plan allows submitting when a plan is required. */
    entitled: async ({ operator, plan }: PlanOf) => plan !== FREE_PLAN || (await entitlement(operator)).eligible,
    /** The entitlement by the account's subscriptions, as cached in this process. */
    entitlement,
    /** The account's plan: the granted one, else the paid one, else the free one. */
    async nameOf({ operator, plan }: PlanOf): Promise<string> {
      if (plan !== FREE_PLAN) return plan;
      const { eligible, plan: paid } = await entitlement(operator);
      return eligible && paid !== null ? paid : FREE_PLAN;
    },
    /** Invalidates the cached account. */
    changed(operator: number): void {
      known.delete(operator);
      const entry = reading.get(operator);
      if (entry !== undefined) entry.changes += 1;
    },
  };
}
