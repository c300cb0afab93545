import { isDeepStrictEqual } from 'node:util';
import type { CardParts } from '../card-parts.ts';
import { MAX_CONFLICT_RETRIES } from '../limits.ts';
import type { BillingAccount } from '../mongo/account-store.ts';
import type { Subscription } from '../types.ts';

/** Updates an account's stored subscriptions from Stripe. */
export type RefreshAccount = (operator: number) => Promise<{ readonly changed: boolean }>;

/**
 * Stripe is read after the account, and the result is written only if the account is unchanged. So concurrent refreshes never
 * replace newer data by older. Within a process refreshes of one account are serialized; the retries are for other processes.
 */
export function createRefresh({ store, gateway, onChange }: CardParts): RefreshAccount {
  return shareNextRun(async (operator: number) => {
    for (let attempt = 0; attempt < MAX_CONFLICT_RETRIES; attempt += 1) {
      const account = await store.find(operator);
      if (account === null || account.customer === null || account.forgotten) return { changed: false };
      const subscriptions = await gateway.subscriptionsOf(account.customer);
      const changed = !isDeepStrictEqual(subscriptions, account.subscriptions);
      // An account with a live subscription must not find a checkout page.
      const checkout: Partial<BillingAccount> = subscriptions.some(isLive) ? { checkout: null } : {};
      // Written even when equal: the new revision makes a concurrent refresh with an older read fail.
      if (!(await store.change(account, { subscriptions, ...checkout }))) continue;
      if (changed) onChange(operator);
      return { changed };
    }
    throw new Error(`could not refresh the billing account of operator ${operator}: too many concurrent changes`);
  });
}

/** Whether a subscription may still charge the customer, so that a second one would be paid twice. */
export function isLive({ status }: Pick<Subscription, 'status'>): boolean {
  return ['active', 'trialing', 'past_due', 'unpaid', 'paused'].includes(status);
}

/** Serializes work by key. Callers during a run share the next one, which begins after their calls. */
export function shareNextRun<Key, Result>(work: (key: Key) => Promise<Result>): (key: Key) => Promise<Result> {
  /** Runs that have not begun. */
  const next = new Map<Key, Promise<Result>>();
  const running = new Map<Key, Promise<unknown>>();

  /** The work begins asynchronously, so later callers can share this run until then. */
  async function startNext(key: Key): Promise<Result> {
    // A failure of the previous run concerns its own callers.
    await running.get(key)?.catch(() => undefined);
    next.delete(key);
    const run = work(key);
    running.set(key, run);
    try {
      return await run;
    } finally {
      if (running.get(key) === run) running.delete(key);
    }
  }

  return (key) => {
    const waiting = next.get(key);
    if (waiting !== undefined) return waiting;
    const run = startNext(key);
    next.set(key, run);
    return run;
  };
}
