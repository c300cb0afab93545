import { followList } from './follow-list.ts';
import { ACCOUNT_CHANGE_RETENTION_MS } from './limits.ts';
import { type Models, nextWriteTime } from './mongo/models.ts';

/** Invalidates cached accounts in all processes, which follow the recently changed ones through `followList`. */
export function createAccountChanges({ accountChanges }: Pick<Models, 'accountChanges'>, clock: () => number) {
  const since = (at: Date) => accountChanges.find({ at: { $gte: at } }).lean();
  // A read that began before a change of this process may return after it: the higher count wins.
  const list = followList(since, clock, (entry, known) => entry.count >= known.count);

  async function publish(operator: number): Promise<void> {
    const at = await nextWriteTime(accountChanges, new Date(clock()));
    const expires_at = new Date(at.getTime() + ACCOUNT_CHANGE_RETENTION_MS);
    const entry = await accountChanges
      .findOneAndUpdate(
        { _id: operator },
        { $set: { at, expires_at }, $inc: { count: 1 } },
        { upsert: true, returnDocument: 'after' },
      )
      .lean();
    list.keep(entry);
  }

  return {
    /**
     * Runs a change of an operator's account or codename, and publishes it before and after. It takes effect in this process at
     * once, in others within `LIST_FOLLOW_MS`. An interrupted change was published before it began.
     */
    async announce<Result>(operator: number, change: () => Promise<Result>): Promise<Result> {
      await publish(operator);
      try {
        return await change();
      } finally {
        // The caller gets the result of the change. The entry written before it remains, and invalidates caches for its lifetime.
        await publish(operator).catch(() => undefined);
      }
    },

    /**
     * A number that grows with each change; 0 without a recent change. An account read after a version of 0 may be cached while
     * the version stays 0. Under any other version a change may be in flight, and the account may be cached only briefly.
     */
    async version(operator: number): Promise<number> {
      return (await list.follow()).get(operator)?.count ?? 0;
    },
  };
}
