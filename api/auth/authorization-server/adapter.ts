import type { Adapter, AdapterFactory, AdapterPayload } from 'oidc-provider';
import * as errors from 'oidc-provider/lib/helpers/errors.js';
import type { OidcRecords } from '../../../engine/accounts/index.ts';

/** Lifetime of a self-registered client without grants, in seconds: a day. */
const CLIENT_LIFETIME_S = 24 * 60 * 60;

/** What a session of the authorization server does not keep: who is signed in is known at the login host alone. */
const FORGOTTEN_OF_SESSIONS: ReadonlySet<string> = new Set(['accountId', 'loginTs', 'amr', 'acr', 'authorizations']);

/** The authorization server's storage: seven methods for each of its models, over one store. */
export function createAdapterFactory(records: OidcRecords): AdapterFactory {
  return (model) => createAdapter(model, records);
}

function createAdapter(model: string, records: OidcRecords): Adapter {
  const found = async (reading: ReturnType<OidcRecords['find']>, id?: string): Promise<AdapterPayload | undefined> => {
    const record = await reading;
    if (record === null) return undefined;
    const { payload, consumedAt } = record;
    return {
      ...payload,
      ...(id === undefined || !holdsOwnId(model) ? {} : { jti: id }),
      ...(consumedAt === null ? {} : { consumed: consumedAt }),
    };
  };
  return {
    async upsert(id, payload, expiresIn) {
      const { grantId, uid, userCode, accountId } = payload;
      const lifetimeSeconds = model === 'Client' ? CLIENT_LIFETIME_S : expiresIn;
      const kept = keptOf(model, payload);
      const record = { model, id, payload: kept, grantId, uid, userCode, subject: accountId, lifetimeSeconds };
      // A client is kept for the same time after the end of its newest grant.
      const { clientId } = payload;
      if (model === 'Grant' && clientId !== undefined && expiresIn !== undefined) {
        await records.prolong('Client', clientId, expiresIn + CLIENT_LIFETIME_S);
      }
      if (model !== 'ReplayDetection') await records.put(record);
      else if (!(await records.putOnce(record))) throw new errors.InvalidRequest('the assertion was used before');
    },
    find: (id) => found(records.find(model, id), id),
    findByUid: (uid) => found(records.findBy(model, 'uid', uid)),
    findByUserCode: (userCode) => found(records.findBy(model, 'user_code', userCode)),
    destroy: (id) => records.destroy(model, id),
    async consume(id) {
      if (await records.consume(model, id)) return;
      // Two used it at one moment: one of them is not who it was given to.
      const grantId = (await records.find(model, id))?.payload['grantId'];
      if (typeof grantId === 'string') await records.revokeGrant(grantId);
      throw new errors.InvalidGrant('already used');
    },
    async revokeByGrantId(grantId) {
      // Called for several models at once; the records of all of them go with the first.
      if (model === 'AccessToken') await records.revokeGrant(grantId);
    },
  };
}

/** Ids of most models are credentials and are kept as hashes alone; a device code is found by its user code. */
function holdsOwnId(model: string): boolean {
  return model !== 'DeviceCode' && model !== 'Client';
}

function keptOf(model: string, payload: AdapterPayload): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(payload).filter(
      ([name, value]) =>
        value !== undefined &&
        !(name === 'jti' && holdsOwnId(model)) &&
        !(model === 'Session' && FORGOTTEN_OF_SESSIONS.has(name)),
    ),
  );
}
