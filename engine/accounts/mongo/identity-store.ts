import { DURABLE, insertUnlessTaken } from '../../mongo/index.ts';
import type { Identity } from '../types.ts';
import { createAddressStore } from './address-store.ts';
import type { Collections, IdentityDocument } from './collections.ts';

export type IdentityStore = ReturnType<typeof createIdentityStore>;

/** Identities, and the verified addresses that they vouch for. Both are unique under any concurrency. */
export function createIdentityStore({ identities, addresses }: Collections) {
  return {
    async find(key: string): Promise<Identity | null> {
      const document = await identities.findOne({ _id: key });
      return document === null ? null : toIdentity(document);
    },

    async list(operator: number): Promise<readonly Identity[]> {
      return (await identities.find({ operator }).sort({ created_at: 1, _id: 1 }).toArray()).map(toIdentity);
    },

    /** False when the identity already belongs to an account. */
    insert({ key, operator, provider, label, email }: Omit<Identity, 'created_at' | 'used_at'>, at: Date) {
      const document = { _id: key, operator, provider, label, email, created_at: at, used_at: at };
      return insertUnlessTaken(() => identities.insertOne(document, DURABLE));
    },

    /** Records a use, and the provider's current label and address. False when the operator has no such identity. */
    async touch(operator: number, key: string, seen: Pick<Identity, 'label' | 'email'>, at: Date): Promise<boolean> {
      const update = { $set: { ...seen, used_at: at } };
      return (await identities.updateOne({ _id: key, operator }, update, DURABLE)).matchedCount === 1;
    },

    async remove(operator: number, key: string): Promise<boolean> {
      return (await identities.deleteOne({ _id: key, operator }, DURABLE)).deletedCount === 1;
    },

    ...createAddressStore(addresses),

    async eraseOf(operator: number): Promise<void> {
      await identities.deleteMany({ operator }, DURABLE);
      await addresses.deleteMany({ operator }, DURABLE);
    },
  };
}

function toIdentity({ _id, operator, provider, label, email, created_at, used_at }: IdentityDocument): Identity {
  const times = { created_at: created_at.toISOString(), used_at: used_at.toISOString() };
  return { key: _id, operator, provider, label, email, ...times };
}
