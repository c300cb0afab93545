import type { AdapterFactory, AdapterPayload } from 'oidc-provider';
import type { OidcRecords } from '../../../engine/accounts/index.ts';
import { errors } from './provider.ts';

/** Lifetime of a self-registered client without grants, in seconds: a day. */
const CLIENT_LIFETIME_S = 24 * 60 * 60;

/** Members that are not stored in a session of the authorization server: only the login host knows who is signed in. */
const UNSAVED_SESSION_MEMBERS: ReadonlySet<string> = new Set(['accountId', 'loginTs', 'amr', 'acr', 'authorizations']);

/** The authorization server's storage: the provider's adapter interface for each model, over one store. */
export function createAdapterFactory(records: OidcRecords): AdapterFactory {
  return (model) => {
    const found = async (
      reading: ReturnType<OidcRecords['find']>,
      id?: string,
    ): Promise<AdapterPayload | undefined> => {
      const record = await reading;
      if (record === null) return undefined;
      const { payload, consumedAt } = record;
      return {
        ...payload,
        ...(id === undefined || !hasCredentialId(model) ? {} : { jti: id }),
        ...(consumedAt === null ? {} : { consumed: consumedAt }),
      };
    };
    return {
      async upsert(id, payload, expiresIn) {
        const { grantId: grant_id, uid, userCode: user_code, accountId: subject, clientId } = payload;
        const lifetimeSeconds = model === 'Client' ? CLIENT_LIFETIME_S : expiresIn;
        // A client is kept for the same time after the end of its newest grant.
        if (model === 'Grant' && clientId !== undefined && expiresIn !== undefined) {
          await records.prolong('Client', clientId, expiresIn + CLIENT_LIFETIME_S);
        }
        const stored = storedPayloadOf(model, payload);
        await records.put({ model, id, payload: stored, grant_id, uid, user_code, subject, lifetimeSeconds });
      },
      find: (id) => found(records.find(model, id), id),
      findByUid: (uid) => found(records.findBy(model, 'uid', uid)),
      findByUserCode: (userCode) => found(records.findBy(model, 'user_code', userCode)),
      destroy: (id) => records.destroy(model, id),
      async consume(id) {
        if (await records.consume(model, id)) return;
        // Used twice: one of the users is not the client that received it, so the grant is revoked.
        const grantId = (await records.find(model, id))?.payload['grantId'];
        if (typeof grantId === 'string') await records.revokeGrant(grantId);
        throw new errors.InvalidGrant('already used');
      },
      async revokeByGrantId(grantId) {
        // The provider calls this for several models; one call revokes the records of all of them.
        if (model === 'AccessToken') await records.revokeGrant(grantId);
      },
    };
  };
}

/** Whether the model's id is a credential, stored only as a hash. A device code is found by its user code. */
function hasCredentialId(model: string): boolean {
  return model !== 'DeviceCode' && model !== 'Client';
}

function storedPayloadOf(model: string, payload: AdapterPayload): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(payload).filter(
      ([name, value]) =>
        value !== undefined &&
        !(name === 'jti' && hasCredentialId(model)) &&
        !(model === 'Session' && UNSAVED_SESSION_MEMBERS.has(name)),
    ),
  );
}
