import type { OidcDocument } from '../mongo/documents.ts';
import type { IdentityStore } from '../mongo/identity-store.ts';
import type { OidcStore } from '../mongo/oidc-store.ts';
import { hashOf } from '../secrets.ts';
import type { Clock, FoundOidcRecord, OidcRecord, OidcRecords } from '../types.ts';
import type { DenialList } from './create-denials.ts';

const MS_PER_SECOND = 1_000;

/** Records of the authorization server: their ids are credentials, so the store has hashes of them. */
export function createOidcRecords(
  store: OidcStore,
  identities: Pick<IdentityStore, 'find'>,
  denials: DenialList,
  clock: Clock,
): OidcRecords {
  async function revokeGrant(grantId: string): Promise<void> {
    await denials.denyGrant(grantId);
    await store.destroyGrant(grantId);
    await store.destroy(nameOf('Grant', grantId));
  }

  return {
    put: (record) => store.upsert(toDocument(record, clock())),
    putOnce: (record) => store.insertOnce(toDocument(record, clock())),
    find: async (model, id) => toFound(await store.find(nameOf(model, id), new Date(clock()))),
    findBy: async (model, field, value) => toFound(await store.findBy(model, field, value, new Date(clock()))),
    prolong: (model, id, lifetimeSeconds) =>
      store.prolong(nameOf(model, id), new Date(clock() + lifetimeSeconds * MS_PER_SECOND)),
    destroy: (model, id) => store.destroy(nameOf(model, id)),
    consume: (model, id) => store.consume(nameOf(model, id), new Date(clock())),
    revokeGrant,
    async noteOpener(grantId, { operator, key }) {
      await store.noteOpener(nameOf('Grant', grantId), key, grantId);
      // Read after the note: a removal that this does not see finds the grant.
      if ((await identities.find(key))?.operator === operator) return true;
      await revokeGrant(grantId);
      return false;
    },
    async revokeOpenedBy(subject, key) {
      for (const { _id, grant_id } of await store.grantsOpenedBy(subject, key)) {
        if (grant_id !== undefined) await revokeGrant(grant_id);
        else {
          // Only a hash of its id is stored, so all tokens of the account are denied; other grants renew theirs.
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

function nameOf(model: string, id: string): string {
  return `${model}:${hashOf(id)}`;
}

function toDocument(record: OidcRecord, now: number): OidcDocument {
  const { model, id, payload, grantId, uid, userCode, subject, lifetimeSeconds } = record;
  return {
    _id: nameOf(model, id),
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
