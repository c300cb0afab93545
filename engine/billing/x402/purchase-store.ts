import { insertUnlessTaken } from '../../mongo/index.ts';
import type { Purchase, PurchaseModels } from '../mongo/models.ts';

/** Receipts kept per purchase, the newest. Each response to a request without a receipt carries a new one. */
const MAX_RECEIPTS = 8;

/** The unique `_id` decides which request executes a purchase. Leases only spare work: the chain keeps money from moving twice. */
export function createPurchaseStore({ purchases }: Pick<PurchaseModels, 'purchases'>) {
  return {
    /** Begins a purchase; false when the payment already has one. */
    begin: (purchase: Purchase) => insertUnlessTaken(() => purchases.insertOne(purchase)),

    find: (id: string) => purchases.findOne({ _id: id }).lean(),

    /** Deletes an open purchase whose lease has expired. */
    async deleteExpiredOpen(id: string, now: Date): Promise<void> {
      await purchases.deleteOne({ _id: id, state: 'open', until: { $lt: now } });
    },

    /** Deletes the holder's open purchase: no money has moved. */
    async deleteOpen({ _id, holder }: Purchase): Promise<void> {
      await purchases.deleteOne({ _id, holder, state: 'open' });
    },

    /** From here on the money may move, and the answer is kept. False when the holder has lost the lease. */
    async beginSettling({ _id, holder }: Purchase, answer: string, until: Date): Promise<boolean> {
      const change = { $set: { state: 'settling', doubt: true, answer, until } } as const;
      const { matchedCount } = await purchases.updateOne({ _id, holder, state: 'open' }, change);
      return matchedCount === 1;
    },

    /** Takes the expired lease of a settling purchase and returns its former state; null when another holder has the lease. */
    async takeOver(id: string, holder: string, now: Date, until: Date): Promise<Purchase | null> {
      const found = await purchases
        .findOneAndUpdate(
          { _id: id, state: 'settling', until: { $lt: now } },
          { $set: { holder, until, doubt: true } },
          { returnDocument: 'before' },
        )
        .lean();
      return found === null ? null : { ...found, holder, until };
    },

    /** Ends the lease, so that others can settle the purchase at once. */
    async endLease({ _id, holder }: Purchase, now: Date, doubt: boolean): Promise<void> {
      const change = { $set: { until: new Date(now.getTime() - 1), doubt } };
      await purchases.updateOne({ _id, holder, state: 'settling' }, change);
    },

    /** Marks the purchase as settled. Safe to repeat: the first transaction and time remain. */
    async settle(id: string, transaction: string, at: Date): Promise<void> {
      const change = { $set: { state: 'settled', transaction, settled_at: at, recorded: false } } as const;
      await purchases.updateOne({ _id: id, state: 'settling' }, change);
    },

    /** Adds a receipt; only the newest are kept. */
    async addReceipt(id: string, hash: string): Promise<void> {
      const receipts = { answer_receipts: { $each: [hash], $slice: -MAX_RECEIPTS } };
      await purchases.updateOne({ _id: id }, { $push: receipts });
    },

    async markRecorded(id: string): Promise<void> {
      await purchases.updateOne({ _id: id, state: 'settled' }, { $set: { recorded: true } });
    },

    /** Deletes a settling purchase that was certainly not paid and cannot be. */
    async deleteUnpaid({ _id, holder }: Purchase): Promise<void> {
      await purchases.deleteOne({ _id, holder, state: 'settling' });
    },

    ...createQueries(purchases),
  };
}

/** Queries over many purchases, for maintenance. */
function createQueries(purchases: PurchaseModels['purchases']) {
  return {
    /** Purchases with an unknown outcome, longest waiting first. */
    unresolved: (before: Date, limit: number): Promise<Purchase[]> =>
      purchases
        .find({ state: 'settling', until: { $lt: before } })
        .sort({ until: 1 })
        .limit(limit)
        .lean(),

    countUnresolved: (before: Date): Promise<number> =>
      purchases.countDocuments({ state: 'settling', created_at: { $lt: before } }),

    unrecorded: (limit: number): Promise<Purchase[]> =>
      purchases.find({ state: 'settled', recorded: false }).limit(limit).lean(),

    /** Answers that a payment refers to, or may. */
    async answersInUse(settledSince: Date): Promise<readonly string[]> {
      const inUse = { $or: [{ state: 'settling' as const }, { settled_at: { $gte: settledSince } }] };
      const found = await purchases.distinct('answer', inUse);
      return found.filter((answer) => answer !== undefined);
    },

    /** Deletes purchases settled before a time, and open ones whose lease ended before a time. */
    async deleteOld(settledBefore: Date, openBefore: Date): Promise<void> {
      await purchases.deleteMany({ state: 'settled', recorded: true, settled_at: { $lt: settledBefore } });
      await purchases.deleteMany({ state: 'open', until: { $lt: openBefore } });
    },
  };
}
