import { MS_PER_SECOND } from '../../../config/units.ts';
import type { OidcDocument } from '../mongo/documents.ts';
import type { IdentityStore } from '../mongo/identity-store.ts';
import type { OidcStore } from '../mongo/oidc-store.ts';
import { hashOf } from '../secrets.ts';
import type { Clock, FoundOidcRecord, OidcRecord, OidcRecords } from '../types.ts';
import type { InternalDenials } from './create-denials.ts';

/** Records of the authorization server. Their ids are credentials: only hashes of them are stored. */
export function createOidcRecords(
  store: OidcStore,
  identities: Pick<IdentityStore, 'find'>,
  denials: InternalDenials,
  clock: Clock,
): OidcRecords {
  async function revokeGrant(grantId: string): Promise<void> {
    await denials.denyGrant(grantId);
    await store.destroyGrant(grantId);
    await store.destroy(recordIdOf('Grant', grantId));
  }

  return {
    put: (record) => store.upsert(toDocument(record, clock())),
    find: async (model, id) => toFound(await store.find(recordIdOf(model, id), new Date(clock()))),
    findBy: async (model, field, value) => toFound(await store.findBy(model, field, value, new Date(clock()))),
    prolong: (model, id, lifetimeSeconds) =>
      store.prolong(recordIdOf(model, id), new Date(clock() + lifetimeSeconds * MS_PER_SECOND)),
    destroy: (model, id) => store.destroy(recordIdOf(model, id)),
    consume: (model, id) => store.consume(recordIdOf(model, id), new Date(clock())),
    revokeGrant,
    async recordOpener(grantId, { operator, key }) {
      await store.recordOpener(recordIdOf('Grant', grantId), key, grantId);
      // Read after the write: a removal that happens later finds the grant.
      if ((await identities.find(key))?.operator === operator) return true;
      await revokeGrant(grantId);
      return false;
    },
    async revokeOpenedBy(subject, key) {
      for (const { _id, grant_id } of await store.grantsOpenedBy(subject, key)) {
        if (grant_id !== undefined) await revokeGrant(grant_id);
        else {
          // Only a hash of this grant's id is stored, so all tokens of the account are denied; other grants refresh theirs.
          await denials.denySubject(subject);
          await store.destroy(_id);
        }
      }
    },
    async revokeSubject(subject) {
      await denials.denySubject(subject);
      await store.destroySubject(subject);
    },
  };
}

function recordIdOf(model: string, id: string): string {
  return `${model}:${hashOf(id)}`;
}

function toDocument(record: OidcRecord, now: number): OidcDocument {
  const { model, id, payload, grantId, uid, userCode, subject, lifetimeSeconds } = record;
  return {
    _id: recordIdOf(model, id),
    model,
    payload,
    ...(grantId === undefined ? {} : { grant_id: grantId }),
    ...(uid === undefined ? {} : { uid }),
    ...(userCode === undefined ? {} : { user_code: userCode }),
    ...(subject === undefined ? {} : { subject }),
    ...(lifetimeSeconds === undefined ? {} : { expires_at: new Date(now + lifetimeSeconds * MS_PER_SECOND) }),
  };
}

function toFound(document: OidcDocument | null): FoundOidcRecord | null {
  if (document === null) return null;
  const { payload, consumed_at } = document;
  const consumedAt = consumed_at === undefined ? null : Math.floor(consumed_at.getTime() / MS_PER_SECOND);
  return { payload, consumedAt };
}
