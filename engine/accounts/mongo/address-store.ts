import { DURABLE, insertUnlessTaken } from '../../mongo/index.ts';
import type { Identity } from '../types.ts';
import type { Collections } from './collections.ts';

const VOUCHED = { 'vouchers.0': { $exists: true } } as const;

/** Verified addresses. One without a voucher belongs to no account: it is left over from an interrupted release. */
export function createAddressStore(addresses: Collections['addresses']) {
  return {
    /** The operator who owns the address; null without one. */
    async ownerOf(address: string): Promise<number | null> {
      return (await addresses.findOne({ _id: address, ...VOUCHED }))?.operator ?? null;
    },

    async addressesOf(operator: number): Promise<readonly string[]> {
      const found = await addresses
        .find({ operator, ...VOUCHED })
        .sort({ verified_at: 1, _id: 1 })
        .toArray();
      return found.map(({ _id }) => _id);
    },

    /** Adds an identity to the vouchers of an address; false when the address belongs to another account. */
    async claimAddress(address: string, { operator, key }: Pick<Identity, 'operator' | 'key'>, at: Date) {
      const update = { $addToSet: { vouchers: key }, $setOnInsert: { verified_at: at } };
      const claim = (): Promise<boolean> =>
        insertUnlessTaken(() => addresses.updateOne({ _id: address, operator }, update, { upsert: true, ...DURABLE }));
      if (await claim()) return true;
      await addresses.deleteOne({ _id: address, 'vouchers.0': { $exists: false } }, DURABLE);
      return claim();
    },

    /** Like `claimAddress`, but only for an address that the account already owns. */
    async joinAddress(address: string, { operator, key }: Pick<Identity, 'operator' | 'key'>): Promise<boolean> {
      const owned = { _id: address, operator, ...VOUCHED };
      return (await addresses.updateOne(owned, { $addToSet: { vouchers: key } }, DURABLE)).matchedCount === 1;
    },

    /** Withdraws the identity from every address except this one; addresses without a voucher are released. */
    async withdraw({ operator, key }: Pick<Identity, 'operator' | 'key'>, except: string | null): Promise<void> {
      const others = { operator, vouchers: key, ...(except === null ? {} : { _id: { $ne: except } }) };
      const { modifiedCount } = await addresses.updateMany(others, { $pull: { vouchers: key } }, DURABLE);
      if (modifiedCount > 0) await addresses.deleteMany({ operator, vouchers: [] }, DURABLE);
    },

    async releaseAddress(address: string, operator: number): Promise<void> {
      await addresses.deleteOne({ _id: address, operator }, DURABLE);
    },
  };
}
