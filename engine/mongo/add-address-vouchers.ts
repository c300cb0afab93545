import type { Connection } from 'mongoose';
import { DURABLE } from './writes.ts';

interface Address {
  _id: string;
  operator: number;
  vouchers?: string[];
}

/**
 * Records in each address the identities that vouch for it, and releases addresses without any: the next holder may be
 * another person. Before this version, addresses stayed with an account permanently.
 */
export async function addAddressVouchers(connection: Connection): Promise<void> {
  const addresses = connection.collection<Address>('addresses');
  const identities = connection.collection<{ _id: string; operator: number; email: string | null }>('identities');
  for await (const { _id, operator } of addresses.find({ 'vouchers.0': { $exists: false } })) {
    const vouching = await identities
      .find({ operator, email: _id }, { projection: { _id: 1 }, sort: { _id: 1 } })
      .toArray();
    const unchanged = { _id, operator, 'vouchers.0': { $exists: false } };
    if (vouching.length === 0) await addresses.deleteOne(unchanged, DURABLE);
    else await addresses.updateOne(unchanged, { $set: { vouchers: vouching.map(({ _id: key }) => key) } }, DURABLE);
  }
}
