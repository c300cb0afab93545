import { DURABLE } from '../../../mongo/index.ts';
import type { PurchaseCollections } from './collections.ts';
import type { Purchase } from './purchase-store.ts';

export type PurchaseQueries = ReturnType<typeof createPurchaseQueries>;

/** Queries over many purchases, for maintenance. */
export function createPurchaseQueries({ purchases }: Pick<PurchaseCollections, 'purchases'>) {
  return {
    /** Purchases with an unknown outcome, longest waiting first. */
    unresolved: (before: Date, limit: number): Promise<Purchase[]> =>
      purchases
        .find({ state: 'settling', until: { $lt: before } })
        .sort({ until: 1 })
        .limit(limit)
        .toArray(),

    countUnresolved: (before: Date): Promise<number> =>
      purchases.countDocuments({ state: 'settling', created_at: { $lt: before } }),

    unrecorded: (limit: number): Promise<Purchase[]> =>
      purchases.find({ state: 'settled', recorded: false }).limit(limit).toArray(),

    /** Answers that a payment refers to, or may. */
    async answersInUse(settledSince: Date): Promise<readonly string[]> {
      const inUse = { $or: [{ state: 'settling' as const }, { settled_at: { $gte: settledSince } }] };
      const found = await purchases.distinct('answer', inUse);
      return found.filter((answer) => answer !== undefined);
    },

    /** Deletes purchases settled before a time, and open ones whose lease ended before a time. */
    async deleteOld(settledBefore: Date, openBefore: Date): Promise<void> {
      await purchases.deleteMany({ state: 'settled', recorded: true, settled_at: { $lt: settledBefore } }, DURABLE);
      await purchases.deleteMany({ state: 'open', until: { $lt: openBefore } }, DURABLE);
    },
  };
}
