import { MS_PER_SECOND } from '../../../config/units.ts';
import type { Identity, IdentityStore } from '../mongo/identity-store.ts';
import type { Models, OidcDocument } from '../mongo/models.ts';
import { hashOf } from '../secrets.ts';
import { type Denials, unexpired } from './create-denials.ts';

/** A record of the authorization server. `id` is a credential, stored as a hash. Without a lifetime it does not expire. */
interface OidcRecord
  extends Pick<OidcDocument, 'model' | 'payload'>,
    Readonly<Partial<Record<'grant_id' | 'uid' | 'user_code' | 'subject', string | undefined>>> {
  readonly id: string;
  readonly lifetimeSeconds?: number | undefined;
}

/**
 * After its first use a refresh token is taken once more within this time: processes that share one sign-in refresh at once, and an
 * answer may be lost. Any further use ends the grant.
 */
const REUSE_MS = 30_000;

type Used = Pick<OidcDocument, 'model' | 'payload' | 'consumed_at' | 'reused_at'>;

export type OidcRecords = ReturnType<typeof createOidcRecords>;

/** Records of the authorization server. Reads ignore expired records; `deleteExpired` of the shared store deletes them. */
export function createOidcRecords(
  { oidc }: Pick<Models, 'oidc'>,
  identities: Pick<IdentityStore, 'find'>,
  denials: Denials,
  clock: () => number,
) {
  /** A found record; `consumedAt` is in seconds since the epoch, null while it may be used. */
  const toFound = (document: Used | null) => {
    if (document === null) return null;
    const { model, payload, consumed_at: at, reused_at } = document;
    if (at === undefined) return { payload, consumedAt: null };
    const isReusable = model === 'RefreshToken' && reused_at === undefined && clock() - at.getTime() <= REUSE_MS;
    return { payload, consumedAt: isReusable ? null : Math.floor(at.getTime() / MS_PER_SECOND) };
  };

  return {
    async put({ id, lifetimeSeconds, ...fields }: OidcRecord): Promise<void> {
      const expires_at =
        lifetimeSeconds === undefined ? undefined : new Date(clock() + lifetimeSeconds * MS_PER_SECOND);
      const present = Object.entries({ ...fields, expires_at }).filter(([, value]) => value !== undefined);
      const $set = Object.fromEntries(present);
      await oidc.updateOne({ _id: recordIdOf(fields.model, id) }, { $set }, { upsert: true });
    },

    find: async (model: string, id: string) =>
      toFound(await oidc.findOne({ _id: recordIdOf(model, id), ...unexpired(clock()) }).lean()),

    findBy: async (model: string, field: 'uid' | 'user_code', value: string) =>
      toFound(await oidc.findOne({ model, [field]: value, ...unexpired(clock()) }).lean()),

    /** Extends a record's lifetime to this many seconds from now, if it exists and would end earlier. */
    async prolong(model: string, id: string, lifetimeSeconds: number): Promise<void> {
      const until = new Date(clock() + lifetimeSeconds * MS_PER_SECOND);
      const shorter = { _id: recordIdOf(model, id), expires_at: { $lt: until } };
      await oidc.updateOne(shorter, { $set: { expires_at: until } });
    },

    async destroy(model: string, id: string): Promise<void> {
      await oidc.deleteOne({ _id: recordIdOf(model, id) });
    },

    /** Consumes a record; returns true to one of any number of callers, and of a refresh token to a second one for a while. */
    async consume(model: string, id: string): Promise<boolean> {
      const now = new Date(clock());
      const fresh = { _id: recordIdOf(model, id), consumed_at: { $exists: false } };
      if ((await oidc.updateOne(fresh, { $set: { consumed_at: now } })).modifiedCount === 1) return true;
      if (model !== 'RefreshToken') return false;
      const since = new Date(now.getTime() - REUSE_MS);
      const again = { _id: recordIdOf(model, id), consumed_at: { $gte: since }, reused_at: { $exists: false } };
      return (await oidc.updateOne(again, { $set: { reused_at: now } })).modifiedCount === 1;
    },

    ...createGrants(oidc, identities, denials, clock),
  };
}

/** Grants, the records that others are made from. */
function createGrants(
  oidc: Models['oidc'],
  identities: Pick<IdentityStore, 'find'>,
  denials: Denials,
  clock: () => number,
) {
  /** Ends a grant: deletes every record made from it, and denies its unexpired access tokens. */
  async function revokeGrant(grantId: string): Promise<void> {
    await denials.denyGrant(grantId);
    await oidc.deleteMany({ grant_id: grantId });
    await oidc.deleteOne({ _id: recordIdOf('Grant', grantId) });
  }

  return {
    revokeGrant,

    /** Stores which identity opened a new grant; false, and the grant ends, when the identity was unlinked meanwhile. */
    async recordOpener(grantId: string, { operator, key }: Pick<Identity, 'operator' | 'key'>): Promise<boolean> {
      // The grant's id is stored too: a revocation needs it.
      const opened = { identity: key, grant_id: grantId };
      await oidc.updateOne({ _id: recordIdOf('Grant', grantId) }, { $set: opened });
      // Read after the write: a removal that happens later finds the grant.
      if ((await identities.find(key))?.operator === operator) return true;
      await revokeGrant(grantId);
      return false;
    },

    /** Ends the grants of an account that an identity opened. */
    async revokeOpenedBy(subject: string, identity: string): Promise<void> {
      for (const { grant_id } of await oidc.find({ model: 'Grant', subject, identity }).lean()) {
        if (grant_id !== undefined) await revokeGrant(grant_id);
      }
    },

    /** What an account allowed, newest first. `id` is no credential. */
    async grantsOf(subject: string) {
      const found = await oidc.find({ model: 'Grant', subject, ...unexpired(clock()) }).lean();
      return found
        .flatMap(({ _id: id, grant_id, payload, expires_at }) =>
          grant_id === undefined ? [] : [{ id, payload, expiresAt: expires_at?.getTime() ?? null }],
        )
        .toReversed();
    },

    /** Ends one of an account's grants; false when it has none with this id. */
    async endGrant(subject: string, id: string): Promise<boolean> {
      const grantId = (await oidc.findOne({ _id: id, model: 'Grant', subject }).lean())?.grant_id;
      if (grantId !== undefined) await revokeGrant(grantId);
      return grantId !== undefined;
    },

    /** Ends all grants of an account. */
    async revokeSubject(subject: string): Promise<void> {
      await denials.denySubject(subject);
      await oidc.deleteMany({ subject });
    },
  };
}

function recordIdOf(model: string, id: string): string {
  return `${model}:${hashOf(id)}`;
}
