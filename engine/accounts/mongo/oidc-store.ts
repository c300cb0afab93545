import { DURABLE } from '../../mongo/index.ts';
import type { Collections } from './collections.ts';
import type { OidcDocument } from './documents.ts';

export type OidcStore = ReturnType<typeof createOidcStore>;

/** Records of the authorization server. Reads ignore expired records; `deleteExpired` of the shared store deletes them. */
export function createOidcStore({ oidc }: Collections) {
  return {
    async upsert({ _id, ...fields }: OidcDocument): Promise<void> {
      await oidc.updateOne({ _id }, { $set: fields }, { upsert: true, ...DURABLE });
    },

    find: (id: string, now: Date): Promise<OidcDocument | null> => oidc.findOne({ _id: id, ...live(now) }),

    findBy: (model: string, field: 'uid' | 'user_code', value: string, now: Date): Promise<OidcDocument | null> =>
      oidc.findOne({ model, [field]: value, ...live(now) }),

    async prolong(id: string, until: Date): Promise<void> {
      await oidc.updateOne({ _id: id, expires_at: { $lt: until } }, { $set: { expires_at: until } }, DURABLE);
    },

    async destroy(id: string): Promise<void> {
      await oidc.deleteOne({ _id: id }, DURABLE);
    },

    /** Returns true to one of any number of callers. */
    async consume(id: string, now: Date): Promise<boolean> {
      const fresh = { _id: id, consumed_at: { $exists: false } };
      return (await oidc.updateOne(fresh, { $set: { consumed_at: now } }, DURABLE)).modifiedCount === 1;
    },

    async destroyGrant(grantId: string): Promise<void> {
      await oidc.deleteMany({ grant_id: grantId }, DURABLE);
    },

    /** Stores the identity that opened a grant, and the grant's id, which revocation needs. */
    async recordOpener(id: string, identity: string, grantId: string): Promise<void> {
      await oidc.updateOne({ _id: id }, { $set: { identity, grant_id: grantId } }, DURABLE);
    },

    /** The grants of an account that an identity opened, and those stored without an identity. */
    grantsOpenedBy: (subject: string, identity: string): Promise<OidcDocument[]> =>
      oidc.find({ model: 'Grant', subject, $or: [{ identity }, { identity: { $exists: false } }] }).toArray(),

    async destroySubject(subject: string): Promise<void> {
      await oidc.deleteMany({ subject }, DURABLE);
    },
  };
}

function live(now: Date) {
  return { $or: [{ expires_at: { $gt: now } }, { expires_at: { $exists: false } }] };
}
