import { coalesce, insertUnlessTaken } from '../../mongo/index.ts';
import type { CustomerAccount } from '../types.ts';
import type { BillingAccountDocument, BillingModels } from './models.ts';

/** The stored state of an account that has started to subscribe. Times are milliseconds since the epoch. */
export type BillingAccount = ReturnType<typeof toAccount>;

export type AccountStore = ReturnType<typeof createAccountStore>;

/** Accounts fetched per command. */
const BATCH_SIZE = 200;

export function createAccountStore({ accounts }: Pick<BillingModels, 'accounts'>) {
  return {
    /** May be called for every submission: concurrent calls share one query. */
    find: coalesce(async (operators: readonly number[]) => {
      const found = await accounts.find({ _id: { $in: [...operators] } }).lean();
      return new Map(found.map((document) => [document._id, toAccount(document)]));
    }),

    async byCustomer(customer: string): Promise<BillingAccount | null> {
      const found = await accounts.findOne({ customer }).lean();
      return found === null ? null : toAccount(found);
    },

    /** Creates an empty account unless it exists. */
    async ensure({ operator, subject }: CustomerAccount): Promise<void> {
      const empty = { customer: null, checkout: null, subscriptions: [], revision: 0, forgotten: false };
      await insertUnlessTaken(() => accounts.insertOne({ _id: operator, subject, ...empty }));
    },

    /** Compare-and-set on the revision that was read; false when the account has changed since or is forgotten. */
    async change(
      { operator, revision }: BillingAccount,
      change: Partial<Pick<BillingAccount, 'customer' | 'checkout' | 'subscriptions'>>,
    ): Promise<boolean> {
      const { checkout, ...rest } = change;
      const set = checkout === undefined ? rest : { ...rest, checkout: checkoutDocument(checkout) };
      const asRead = { _id: operator, revision, forgotten: false };
      const changed = await accounts.updateOne(asRead, { $set: set, $inc: { revision: 1 } });
      return changed.matchedCount === 1;
    },

    /** Marks an account as forgotten: nothing changes it afterwards. Returns its former state; null without an account. */
    async forget(operator: number): Promise<BillingAccount | null> {
      const update = { $set: { forgotten: true, checkout: null }, $inc: { revision: 1 } };
      const found = await accounts.findOneAndUpdate({ _id: operator }, update).lean();
      return found === null ? null : toAccount(found);
    },

    async forgotten(): Promise<readonly BillingAccount[]> {
      return (await accounts.find({ forgotten: true }).limit(BATCH_SIZE).lean()).map(toAccount);
    },

    async remove(operator: number): Promise<void> {
      await accounts.deleteOne({ _id: operator, forgotten: true });
    },

    /** Every account with a customer, in batches. */
    async *withCustomer(): AsyncIterable<BillingAccount> {
      const known = { customer: { $type: 'string' as const }, forgotten: false };
      let after = 0;
      for (;;) {
        const batch = accounts.find({ ...known, _id: { $gt: after } });
        const found = await batch.sort({ _id: 1 }).limit(BATCH_SIZE).lean();
        for (const document of found) yield toAccount(document);
        const last = found.at(-1);
        if (last === undefined) return;
        after = last._id;
      }
    },
  };
}

function checkoutDocument(checkout: BillingAccount['checkout']): BillingAccountDocument['checkout'] {
  if (checkout === null) return null;
  const { session, plan, url, expiresAt } = checkout;
  return { session, plan, url, expires_at: new Date(expiresAt) };
}

function toAccount({ _id, checkout, ...rest }: BillingAccountDocument) {
  if (checkout === null) return { operator: _id, ...rest, checkout };
  const { expires_at, ...page } = checkout;
  return { operator: _id, ...rest, checkout: { ...page, expiresAt: expires_at.getTime() } };
}
