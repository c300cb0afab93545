import { isDeepStrictEqual } from 'node:util';
import { MAX_LOST_RACES } from '../limits.ts';
import type { AccountStore, BillingAccount } from '../mongo/account-store.ts';
import type { StripeGateway } from '../stripe/gateway.ts';
import { shareTurns } from './share-turns.ts';
import { isLive } from './subscription.ts';

/** Brings what is known of an account's subscriptions up to what Stripe says now. */
export type RefreshAccount = (operator: number) => Promise<{ readonly changed: boolean }>;

export interface RefreshOptions {
  readonly store: AccountStore;
  readonly gateway: StripeGateway;
  /** Told when what an account may do may have changed. */
  readonly onChange: (operator: number) => void;
}

/**
 * What Stripe says is read after the account was, and written only when nobody has written meanwhile. So what stands is
 * never older than what stood, in whatever order and however often anybody refreshes. Within a process refreshes of one
 * account take turns; races are for other processes.
 */
export function createRefresh({ store, gateway, onChange }: RefreshOptions): RefreshAccount {
  return shareTurns(async (operator: number) => {
    for (let race = 0; race < MAX_LOST_RACES; race += 1) {
      const account = await store.find(operator);
      if (account === null || account.customer === null || account.forgotten) return { changed: false };
      const subscriptions = await gateway.subscriptionsOf(account.customer);
      const changed = !isDeepStrictEqual(subscriptions, account.subscriptions);
      // Who pays already is not to find a page on which to pay once more.
      const checkout: Partial<BillingAccount> = subscriptions.some(isLive) ? { checkout: null } : {};
      // Written even when nothing changed: whoever read Stripe before us and writes after us has to find out.
      if (!(await store.change(account, { subscriptions, ...checkout }))) continue;
      if (changed) onChange(operator);
      return { changed };
    }
    throw new Error(`the billing account of operator ${operator} changes too often to be refreshed`);
  });
}
