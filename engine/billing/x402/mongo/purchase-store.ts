import { DURABLE, insertUnlessTaken } from '../../../mongo/index.ts';
import type { PurchaseCollections, PurchaseDocument } from './collections.ts';

export type Purchase = Readonly<PurchaseDocument>;

/** Receipts kept for one purchase, the newest. Each response to a request without a receipt carries another one. */
const MAX_RECEIPTS = 8;

export type PurchaseStore = ReturnType<typeof createPurchaseStore>;

/**
 * Payments and what they are for. The unique `_id` decides who carries a purchase out; the lease spares work and is not
 * what keeps money from moving twice: the chain does. Until the money may move nothing has to survive a crash; the journal,
 * which is in order, keeps the beginning with what follows it.
 */
export function createPurchaseStore({ purchases }: Pick<PurchaseCollections, 'purchases'>) {
  return {
    /** Begins a purchase; false when there is one of this payment already. */
    begin: (purchase: PurchaseDocument) => insertUnlessTaken(() => purchases.insertOne(purchase)),

    find: (id: string) => purchases.findOne({ _id: id }),

    /** Forgets an open purchase whose holder is gone. */
    async dropStale(id: string, now: Date): Promise<void> {
      await purchases.deleteOne({ _id: id, state: 'open', until: { $lt: now } });
    },

    /** Forgets an open purchase of its holder: nothing has moved. */
    async release({ _id, holder }: Purchase): Promise<void> {
      await purchases.deleteOne({ _id, holder, state: 'open' });
    },

    /** From here on the money may move; the answer is kept. False when the purchase is no longer the holder's. */
    async beginSettling({ _id, holder }: Purchase, answer: string, until: Date): Promise<boolean> {
      const change = { $set: { state: 'settling', doubt: true, answer, until } } as const;
      const { matchedCount } = await purchases.updateOne({ _id, holder, state: 'open' }, change, DURABLE);
      return matchedCount === 1;
    },

    /** Takes over a purchase that was being settled by somebody who is gone, as it was; null when somebody else has it. */
    async takeOver(id: string, holder: string, now: Date, until: Date): Promise<Purchase | null> {
      const found = await purchases.findOneAndUpdate(
        { _id: id, state: 'settling', until: { $lt: now } },
        { $set: { holder, until, doubt: true } },
        { returnDocument: 'before', ...DURABLE },
      );
      return found === null ? null : { ...found, holder, until };
    },

    /** Lets others settle it at once. */
    async letGo({ _id, holder }: Purchase, now: Date, doubt: boolean): Promise<void> {
      const change = { $set: { until: new Date(now.getTime() - 1), doubt } };
      await purchases.updateOne({ _id, holder, state: 'settling' }, change, DURABLE);
    },

    /** The money moved. Safe to repeat: the first transaction and time stay. */
    async settle(id: string, transaction: string, at: Date): Promise<void> {
      const change = { $set: { state: 'settled', transaction, settled_at: at, recorded: false } } as const;
      await purchases.updateOne({ _id: id, state: 'settling' }, change, DURABLE);
    },

    /** Adds a receipt to a purchase, beside the newest of the former ones. */
    async addReceipt(id: string, hash: string): Promise<void> {
      const receipts = { answer_receipts: { $each: [hash], $slice: -MAX_RECEIPTS } };
      await purchases.updateOne({ _id: id }, { $push: receipts }, DURABLE);
    },

    async markRecorded(id: string): Promise<void> {
      await purchases.updateOne({ _id: id, state: 'settled' }, { $set: { recorded: true } }, DURABLE);
    },

    /** Forgets a purchase of which it is certain that it was not, and cannot be, paid. */
    async giveUp({ _id, holder }: Purchase): Promise<void> {
      await purchases.deleteOne({ _id, holder, state: 'settling' }, DURABLE);
    },
  };
}
