import type { OidcDocument } from '../mongo/documents.ts';
import type { OidcStore } from '../mongo/oidc-store.ts';
import { hashOf } from '../secrets.ts';
import type { Clock, FoundOidcRecord, OidcRecord, OidcRecords } from '../types.ts';
import type { DenialList } from './create-denials.ts';

const MS_PER_SECOND = 1_000;

/** Records of the authorization server: their ids are credentials, so the store has hashes of them. */
export function createOidcRecords(store: OidcStore, denials: DenialList, clock: Clock): OidcRecords {
  return {
    put: (record) => store.upsert(toDocument(record, clock())),
    putOnce: (record) => store.insertOnce(toDocument(record, clock())),
    find: async (model, id) => toFound(await store.find(nameOf(model, id), new Date(clock()))),
    findBy: async (model, field, value) => toFound(await store.findBy(model, field, value, new Date(clock()))),
    destroy: (model, id) => store.destroy(nameOf(model, id)),
    consume: (model, id) => store.consume(nameOf(model, id), new Date(clock())),
    async revokeGrant(grantId) {
      await denials.denyGrant(grantId);
      await store.destroyGrant(grantId);
      await store.destroy(nameOf('Grant', grantId));
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
