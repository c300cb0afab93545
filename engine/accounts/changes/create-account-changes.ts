import { followList } from '../follow-list.ts';
import { ACCOUNT_CHANGE_MEMORY_MS } from '../limits.ts';
import type { AccountChangeStore, StoredAccountChange } from '../mongo/account-change-store.ts';
import type { AccountChanges, Clock } from '../types.ts';

/** What tells processes that remember accounts which of them to read again, as `followList` follows it. */
export function createAccountChanges(store: AccountChangeStore, clock: Clock): AccountChanges {
  const entries = new Map<number, StoredAccountChange>();
  const follow = followList(async (since, now) => {
    for (const entry of await store.since(since)) note(entry);
    for (const [operator, { expiresAt }] of entries) if (expiresAt.getTime() <= now) entries.delete(operator);
  }, clock);

  /** What was read before a change of our own may arrive after it. */
  function note(entry: StoredAccountChange): void {
    if (entry.count >= (entries.get(entry.operator)?.count ?? 0)) entries.set(entry.operator, entry);
  }

  async function tell(operator: number): Promise<void> {
    const at = clock();
    note(await store.add(operator, new Date(at), new Date(at + ACCOUNT_CHANGE_MEMORY_MS)));
  }

  return {
    async told(operator, change) {
      await tell(operator);
      try {
        return await change();
      } finally {
        await tell(operator);
      }
    },
    async version(operator) {
      await follow();
      return entries.get(operator)?.count ?? 0;
    },
  };
}
