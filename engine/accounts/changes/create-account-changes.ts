import { followList, forgetExpired } from '../follow-list.ts';
import { ACCOUNT_CHANGE_RETENTION_MS } from '../limits.ts';
import type { AccountChangeStore, StoredAccountChange } from '../mongo/account-change-store.ts';
import type { AccountChanges, Clock } from '../types.ts';

/** Invalidates cached accounts in all processes: each follows the stored changes through `followList`. */
export function createAccountChanges(store: AccountChangeStore, clock: Clock): AccountChanges {
  const entries = new Map<number, StoredAccountChange>();
  const applyEntries = (read: readonly StoredAccountChange[], now: number): void => {
    for (const entry of read) keepNewest(entry);
    forgetExpired(entries, now);
  };
  const follow = followList((at) => store.since(at), applyEntries, clock);

  /** A read that began before a change of this process may return after it: the higher count wins. */
  function keepNewest(entry: StoredAccountChange): void {
    if (entry.count >= (entries.get(entry.operator)?.count ?? 0)) entries.set(entry.operator, entry);
  }

  async function publish(operator: number): Promise<void> {
    keepNewest(await store.add(operator, new Date(clock()), ACCOUNT_CHANGE_RETENTION_MS));
  }

  return {
    async announce(operator, change) {
      await publish(operator);
      try {
        return await change();
      } finally {
        // The caller gets the result of the change. The entry written before it remains, and invalidates caches for its lifetime.
        await publish(operator).catch(() => undefined);
      }
    },
    async version(operator) {
      await follow();
      return entries.get(operator)?.count ?? 0;
    },
  };
}
