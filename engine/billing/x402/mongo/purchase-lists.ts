import { DURABLE } from '../../../mongo/index.ts';
import type { PurchaseCollections } from './collections.ts';
import type { Purchase } from './purchase-store.ts';

export type PurchaseLists = ReturnType<typeof createPurchaseLists>;

/** Many purchases at once: what upkeep looks at. */
export function createPurchaseLists({ purchases }: Pick<PurchaseCollections, 'purchases'>) {
  return {
    /** Purchases of which it is open whether they were paid, those first that have waited longest. */
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

    /** Answers that a payment still leads to, or may. */
    async answersInUse(settledSince: Date): Promise<readonly string[]> {
      const inUse = { $or: [{ state: 'settling' as const }, { settled_at: { $gte: settledSince } }] };
      const found = await purchases.distinct('answer', inUse);
      return found.filter((answer) => answer !== undefined);
    },

    /** Forgets what was settled, and what was begun and left, long ago. */
    async sweep(settledBefore: Date, openBefore: Date): Promise<void> {
      await purchases.deleteMany({ state: 'settled', recorded: true, settled_at: { $lt: settledBefore } }, DURABLE);
      await purchases.deleteMany({ state: 'open', until: { $lt: openBefore } }, DURABLE);
    },
  };
}
