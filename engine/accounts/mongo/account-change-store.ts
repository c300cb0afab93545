import { DURABLE } from '../../mongo/index.ts';
import type { Collections } from './collections.ts';
import { generationOf } from './stamp.ts';

/** How often an account has changed lately, as it is followed. */
export interface StoredAccountChange {
  readonly operator: number;
  readonly count: number;
  readonly at: Date;
  readonly expiresAt: Date;
}

export type AccountChangeStore = ReturnType<typeof createAccountChangeStore>;

/** Which accounts changed. Entries change in place, so that followers see it. */
export function createAccountChangeStore({ accountChanges }: Collections) {
  return {
    async add(operator: number, now: Date, keptMs: number): Promise<StoredAccountChange> {
      const at = await generationOf(accountChanges, now);
      const expiresAt = new Date(at.getTime() + keptMs);
      const { count } = (await accountChanges.findOneAndUpdate(
        { _id: operator },
        { $set: { at, expires_at: expiresAt }, $inc: { count: 1 } },
        { upsert: true, returnDocument: 'after', ...DURABLE },
      ))!;
      return { operator, count, at, expiresAt };
    },

    async since(at: Date): Promise<readonly StoredAccountChange[]> {
      const found = await accountChanges.find({ at: { $gte: at } }).toArray();
      return found.map(({ _id, count, at: written, expires_at }) => ({
        operator: _id,
        count,
        at: written,
        expiresAt: expires_at,
      }));
    },
  };
}
