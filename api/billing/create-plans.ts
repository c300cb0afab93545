import { LRUCache } from 'lru-cache';
import { type Account, FREE_PLAN } from '../../engine/accounts/index.ts';
import { type Billing, type Entitlement, entitlementOf, type Subscription } from '../../engine/billing/index.ts';
import type { Clock } from '../../engine/ranking/index.ts';

/** Accounts remembered at once, at less than 1 kB each. */
const MAX_REMEMBERED = 65_536;

/**
 * How long what is known of an account is believed when nobody tells of a change, in milliseconds. Changes are told at once;
 * this is for those that were not heard.
 */
const RECHECK_MS = 5_000;

type PlanOf = Pick<Account, 'operator' | 'plan'>;

/** Which plan an account has, and whether it lets it submit. */
export interface Plans {
  /** Whether the account's plan lets it submit where a plan is required. */
  readonly entitled: (account: PlanOf) => Promise<boolean>;
  /** What the account's subscriptions give it, as far as this process knows. */
  readonly standing: (operator: number) => Promise<Entitlement>;
  /** The name of the account's plan: one that was granted, else the one it pays for, else the free one. */
  readonly nameOf: (account: PlanOf) => Promise<string>;
  /** What is known of an account may be wrong by now. */
  readonly changed: (operator: number) => void;
}

/** Plans over the subscriptions that are stored. What an account may do is worked out anew each time: time passes. */
export function createPlans(billing: Pick<Billing, 'subscriptionsOf'>, clock: Clock): Plans {
  const known = new LRUCache<number, { readonly at: number; readonly subscriptions: readonly Subscription[] }>({
    max: MAX_REMEMBERED,
  });
  /** Counts changes by account while it is looked up: what was read before one is not remembered. */
  const reading = new Map<number, { changes: number; readers: number }>();

  async function load(operator: number): Promise<readonly Subscription[]> {
    const mark = reading.get(operator) ?? { changes: 0, readers: 0 };
    const { changes } = mark;
    mark.readers += 1;
    reading.set(operator, mark);
    try {
      const at = clock();
      const subscriptions = await billing.subscriptionsOf(operator);
      if (mark.changes === changes) known.set(operator, { at, subscriptions });
      return subscriptions;
    } finally {
      mark.readers -= 1;
      if (mark.readers === 0) reading.delete(operator);
    }
  }

  async function standing(operator: number): Promise<Entitlement> {
    const now = clock();
    const remembered = known.get(operator);
    const isFresh = remembered !== undefined && Math.abs(now - remembered.at) < RECHECK_MS;
    return entitlementOf(isFresh ? remembered.subscriptions : await load(operator), now);
  }

  return {
    entitled: async ({ operator, plan }) => plan !== FREE_PLAN || (await standing(operator)).eligible,
    standing,
    async nameOf({ operator, plan }) {
      if (plan !== FREE_PLAN) return plan;
      const { eligible, plan: paid } = await standing(operator);
      return eligible && paid !== null ? paid : FREE_PLAN;
    },
    changed(operator) {
      known.delete(operator);
      const mark = reading.get(operator);
      if (mark !== undefined) mark.changes += 1;
    },
  };
}
