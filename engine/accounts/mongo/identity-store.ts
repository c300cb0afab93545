import { insertUnlessTaken } from '../../mongo/index.ts';
import type { IdentityDocument, Models } from './models.ts';

const VOUCHED = { 'vouchers.0': { $exists: true } } as const;

/** A way to sign in to an account. Times are ISO 8601 in UTC. */
export type Identity = ReturnType<typeof toIdentity>;

export type IdentityStore = ReturnType<typeof createIdentityStore>;

/** Identities, and the verified addresses that they vouch for. Both are unique under any concurrency. */
export function createIdentityStore({ identities, addresses }: Models) {
  return {
    async find(key: string): Promise<Identity | null> {
      const document = await identities.findOne({ _id: key }).lean();
      return document === null ? null : toIdentity(document);
    },

    async list(operator: number): Promise<readonly Identity[]> {
      return (await identities.find({ operator }).sort({ created_at: 1, _id: 1 }).lean()).map(toIdentity);
    },

    /** False when the identity already belongs to an account. */
    insert({ key, operator, provider, label, email }: Omit<Identity, 'created_at' | 'used_at'>, at: Date) {
      const document = { _id: key, operator, provider, label, email, created_at: at, used_at: at };
      return insertUnlessTaken(() => identities.insertOne(document));
    },

    /** Records a use, and the provider's current label and address. False when the operator has no such identity. */
    async touch(operator: number, key: string, seen: Pick<Identity, 'label' | 'email'>, at: Date): Promise<boolean> {
      const update = { $set: { ...seen, used_at: at } };
      return (await identities.updateOne({ _id: key, operator }, update)).matchedCount === 1;
    },

    async remove(operator: number, key: string): Promise<boolean> {
      return (await identities.deleteOne({ _id: key, operator })).deletedCount === 1;
    },

    ...createAddressStore(addresses),

    async eraseOf(operator: number): Promise<void> {
      await identities.deleteMany({ operator });
      await addresses.deleteMany({ operator });
    },
  };
}

/** Verified addresses. One without a voucher belongs to no account: it is left over from an interrupted release. */
function createAddressStore(addresses: Models['addresses']) {
  return {
    /** The operator who owns the address; null without one. */
    async ownerOf(address: string): Promise<number | null> {
      return (await addresses.findOne({ _id: address, ...VOUCHED }).lean())?.operator ?? null;
    },

    async addressesOf(operator: number): Promise<readonly string[]> {
      const found = await addresses
        .find({ operator, ...VOUCHED })
        .sort({ verified_at: 1, _id: 1 })
        .lean();
      return found.map(({ _id }) => _id);
    },

    /** Adds an identity to the vouchers of an address; false when the address belongs to another account. */
    async claimAddress(address: string, { operator, key }: Pick<Identity, 'operator' | 'key'>, at: Date) {
      const update = { $addToSet: { vouchers: key }, $setOnInsert: { verified_at: at } };
      const claim = (): Promise<boolean> =>
        insertUnlessTaken(() => addresses.updateOne({ _id: address, operator }, update, { upsert: true }));
      if (await claim()) return true;
      await addresses.deleteOne({ _id: address, 'vouchers.0': { $exists: false } });
      return claim();
    },

    /** Like `claimAddress`, but only for an address that the account already owns. */
    async joinAddress(address: string, { operator, key }: Pick<Identity, 'operator' | 'key'>): Promise<boolean> {
      const owned = { _id: address, operator, ...VOUCHED };
      return (await addresses.updateOne(owned, { $addToSet: { vouchers: key } })).matchedCount === 1;
    },

    /** Withdraws the identity from every address except this one; addresses without a voucher are released. */
    async withdraw({ operator, key }: Pick<Identity, 'operator' | 'key'>, except: string | null): Promise<void> {
      const others = { operator, vouchers: key, ...(except === null ? {} : { _id: { $ne: except } }) };
      const { modifiedCount } = await addresses.updateMany(others, { $pull: { vouchers: key } });
      if (modifiedCount > 0) await addresses.deleteMany({ operator, vouchers: [] });
    },

    async releaseAddress(address: string, operator: number): Promise<void> {
      await addresses.deleteOne({ _id: address, operator });
    },
  };
}

function toIdentity({ _id, operator, provider, label, email, created_at, used_at }: IdentityDocument) {
  const times = { created_at: created_at.toISOString(), used_at: used_at.toISOString() };
  return { key: _id, operator, provider, label, email, ...times };
}
