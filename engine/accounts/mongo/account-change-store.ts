import { DURABLE } from '../../mongo/index.ts';
import type { Collections } from './collections.ts';
import { nextWriteTime } from './next-write-time.ts';

/** How often an account has changed recently. */
export interface StoredAccountChange {
  readonly operator: number;
  readonly count: number;
  readonly at: Date;
  readonly expiresAt: Date;
}

export type AccountChangeStore = ReturnType<typeof createAccountChangeStore>;

/** Recently changed accounts, one entry each. A further change updates the entry and its time, so followers read it again. */
export function createAccountChangeStore({ accountChanges }: Collections) {
  return {
    async add(operator: number, now: Date, retentionMs: number): Promise<StoredAccountChange> {
      const at = await nextWriteTime(accountChanges, now);
      const expiresAt = new Date(at.getTime() + retentionMs);
      const { count } = (await accountChanges.findOneAndUpdate(
        { _id: operator },
        { $set: { at, expires_at: expiresAt }, $inc: { count: 1 } },
        { upsert: true, returnDocument: 'after', ...DURABLE },
      ))!;
      return { operator, count, at, expiresAt };
    },

    async since(at: Date): Promise<readonly StoredAccountChange[]> {
      const found = await accountChanges.find({ at: { $gte: at } }).toArray();
      return found.map(({ _id, count, at: writtenAt, expires_at }) => ({
        operator: _id,
        count,
        at: writtenAt,
        expiresAt: expires_at,
      }));
    },
  };
}
