import { followList, forgetExpired } from '../follow-list.ts';
import { ACCOUNT_CHANGE_MEMORY_MS } from '../limits.ts';
import type { AccountChangeStore, StoredAccountChange } from '../mongo/account-change-store.ts';
import type { AccountChanges, Clock } from '../types.ts';

/** What tells processes that remember accounts which of them to read again, as `followList` follows it. */
export function createAccountChanges(store: AccountChangeStore, clock: Clock): AccountChanges {
  const entries = new Map<number, StoredAccountChange>();
  const take = (read: readonly StoredAccountChange[], now: number): void => {
    for (const entry of read) note(entry);
    forgetExpired(entries, now);
  };
  const follow = followList((at) => store.since(at), take, clock);

  /** What was read before a change of our own may arrive after it. */
  function note(entry: StoredAccountChange): void {
    if (entry.count >= (entries.get(entry.operator)?.count ?? 0)) entries.set(entry.operator, entry);
  }

  async function tell(operator: number): Promise<void> {
    note(await store.add(operator, new Date(clock()), ACCOUNT_CHANGE_MEMORY_MS));
  }

  return {
    async announce(operator, change) {
      await tell(operator);
      try {
        return await change();
      } finally {
        // What came of the change is what counts; the first telling stands, and is enough for whoever reads again in time.
        await tell(operator).catch(() => undefined);
      }
    },
    async version(operator) {
      await follow();
      return entries.get(operator)?.count ?? 0;
    },
  };
}
