import { type KeyObject, randomBytes } from 'node:crypto';
import type { Connection } from '../mongo/index.ts';
import { createAccountChanges } from './changes/create-account-changes.ts';
import { cacheDeviceKeys } from './devices/cache-device-keys.ts';
import { createKeyOwners } from './devices/create-key-owners.ts';
import { enrolDevice } from './devices/enrol-device.ts';
import { createSecretCipher } from './encryption/secret-cipher.ts';
import { createErasures } from './erasures/create-erasures.ts';
import { createIdentities } from './identities/create-identities.ts';
import { AUDIT_RETENTION_MS } from './limits.ts';
import { createAccountChangeStore } from './mongo/account-change-store.ts';
import { type AccountStore, createAccountStore } from './mongo/account-store.ts';
import { createAuditStore } from './mongo/audit-store.ts';
import { ensureAccountIndexes, openCollections } from './mongo/collections.ts';
import { createDenialStore } from './mongo/denial-store.ts';
import { createDeviceStore, type DeviceStore } from './mongo/device-store.ts';
import { createErasureStore } from './mongo/erasure-store.ts';
import { createIdentityStore } from './mongo/identity-store.ts';
import { createOidcStore } from './mongo/oidc-store.ts';
import { createOneTimeStore } from './mongo/one-time-store.ts';
import { createSecretRecords, type SecretRecords } from './mongo/secret-records.ts';
import { createSessionStore, type SessionStore } from './mongo/session-store.ts';
import { createSharedStore, type SharedStore } from './mongo/shared-store.ts';
import { createSigningKeyStore } from './mongo/signing-key-store.ts';
import { createDenials } from './oidc/create-denials.ts';
import { createOidcRecords } from './oidc/create-oidc-records.ts';
import { newSecret } from './secrets.ts';
import { createOneTimeSecrets } from './sessions/create-one-time-secrets.ts';
import { createSessions } from './sessions/create-sessions.ts';
import { createSigningKeys } from './signing-keys/create-signing-keys.ts';
import type {
  Account,
  AccountChanges,
  Accounts,
  AuditLog,
  Clock,
  Devices,
  OidcRecords,
  SigningKeys,
  StoredSecrets,
} from './types.ts';

/** The plan of an account created without one. */
export const FREE_PLAN = 'free';

const SUBJECT_BYTES = 16;

interface AccountsOptions {
  readonly connection: Connection;
  readonly clock: Clock;
  /** The keys of `SECRETS_KEY`: the first encrypts stored secrets, each decrypts them. Without a key they are stored in clear. */
  readonly secretsKeys?: readonly KeyObject[];
}

/**
 * Opens accounts with their indexes, and encrypts stored secrets when a key is configured.
 *
 * @throws SecretsKeyError when the keys do not match the stored secrets.
 */
export async function openAccounts(options: AccountsOptions): Promise<Accounts> {
  const accounts = createAccounts(options);
  await accounts.ensureIndexes();
  await accounts.storedSecrets.encrypt();
  return accounts;
}

/** Accounts over a connected MongoDB connection. The caller closes the connection. */
export function createAccounts({ connection, clock, secretsKeys = [] }: AccountsOptions): Accounts {
  const collections = openCollections(connection);
  const secretRecords = createSecretRecords(collections, createSecretCipher(secretsKeys));
  const accounts = createAccountStore(collections);
  const devices = createDeviceStore(collections);
  const signingKeys = createSigningKeys({ store: createSigningKeyStore(collections, secretRecords), clock });
  const auditStore = createAuditStore(collections);
  const audit: AuditLog = {
    record: (event) => auditStore.append({ ...event, at: new Date(clock()).toISOString() }),
    list: (operator, limit) => auditStore.list(operator, limit),
  };
  const identityStore = createIdentityStore(collections);
  const sessionStore = createSessionStore(collections);
  const oneTimeStore = createOneTimeStore(collections);
  const shared = createSharedStore(collections, secretRecords);
  const oidcStore = createOidcStore(collections);
  const denials = createDenials(createDenialStore(collections), oidcStore, clock);
  const changes = createAccountChanges(createAccountChangeStore(collections), clock);
  const oidc = createOidcRecords(oidcStore, identityStore, denials, clock);
  return {
    create: ({ operator, plan = FREE_PLAN }) => createAccount(accounts, clock(), { operator, plan }),
    bySubject: (subject) => accounts.bySubject(subject),
    byOperator: (operator) => accounts.byOperator(operator),
    setPlan: (operator, plan) => changes.announce(operator, () => accounts.setPlan(operator, plan)),
    suspend: createSuspension({ accounts, sessions: sessionStore, oidc, audit, changes }),
    suspendedOperators: () => accounts.suspended(),
    devices: createDevices(devices, audit, clock),
    deviceKeys: cacheDeviceKeys(devices, clock),
    keyOwner: createKeyOwners(devices),
    signingKeys: auditRotations(signingKeys, audit),
    jwks: () => signingKeys.jwks(),
    identities: createIdentities({
      accounts,
      store: identityStore,
      shared,
      sessions: sessionStore,
      oidc,
      audit,
      clock,
      createAccount: (operator) => createAccount(accounts, clock(), { operator, plan: FREE_PLAN }),
    }),
    sessions: createSessions(sessionStore, identityStore, accounts, clock),
    oneTime: createOneTimeSecrets(oneTimeStore, clock),
    oidc,
    denials,
    changes,
    erasures: createErasures({
      store: createErasureStore(collections),
      accounts,
      identities: identityStore,
      devices,
      sessions: sessionStore,
      oneTime: oneTimeStore,
      oidc,
      audit: auditStore,
      changes,
      clock,
    }),
    audit,
    sharedSecret: createSharedSecrets(shared),
    storedSecrets: createStoredSecrets(secretRecords, signingKeys, audit),
    deleteExpired: () => shared.deleteExpired(new Date(clock()), new Date(clock() - AUDIT_RETENTION_MS)),
    ensureIndexes: () => ensureAccountIndexes(connection),
  };
}

interface SuspensionParts {
  readonly accounts: AccountStore;
  readonly sessions: SessionStore;
  readonly oidc: OidcRecords;
  readonly audit: AuditLog;
  readonly changes: AccountChanges;
}

/** Suspends and restores operators. A suspension ends sessions and grants for good: a restored operator signs in again. */
function createSuspension({ accounts, sessions, oidc, audit, changes }: SuspensionParts): Accounts['suspend'] {
  const suspend: Accounts['suspend'] = async (operator, suspended) => {
    const account = await accounts.byOperator(operator);
    if (account === null || !(await accounts.setSuspended(operator, suspended))) return false;
    if (suspended) {
      await oidc.revokeSubject(account.subject);
      await sessions.endAll(operator);
    }
    const kind = suspended ? 'operator_suspended' : 'operator_restored';
    await audit.record({ kind, operator, client: null, detail: {} });
    return true;
  };
  return (operator, suspended) => changes.announce(operator, () => suspend(operator, suspended));
}

function auditRotations(signingKeys: SigningKeys, audit: AuditLog): SigningKeys {
  return {
    ...signingKeys,
    async rotate() {
      const { kid } = await signingKeys.rotate();
      await audit.record({ kind: 'signing_key_rotated', operator: null, client: null, detail: { kid } });
      return { kid };
    },
  };
}

function createStoredSecrets(records: SecretRecords, signingKeys: SigningKeys, audit: AuditLog): StoredSecrets {
  return {
    count: () => records.count(),
    async encrypt() {
      await records.encryptAll();
      // A new database gets its first signing key here, so that a process with another `SECRETS_KEY`, or none, is refused.
      if (records.encrypts) await signingKeys.jwks();
    },
    async discardUnreadable() {
      const names = await records.discardUnreadable();
      if (names.length > 0) {
        const detail = { names: names.join(', ') };
        await audit.record({ kind: 'secrets_discarded', operator: null, client: null, detail });
      }
      return names;
    },
  };
}

/** A shared secret never changes, so a process reads it once. The process that finds none creates it. */
function createSharedSecrets(store: SharedStore): Accounts['sharedSecret'] {
  const known = new Map<string, Promise<string>>();
  const read = async (name: string): Promise<string> => {
    const found = await store.secret(name);
    if (found !== null) return found;
    const offered = newSecret();
    const value = (await store.offerSecret(name, offered)) ? offered : await store.secret(name);
    if (value === null) throw new Error(`the secret ${name} cannot be read`);
    return value;
  };
  return (name) => {
    const reading = known.get(name) ?? read(name);
    known.set(name, reading);
    reading.catch(() => known.delete(name));
    return reading;
  };
}

function createDevices(store: DeviceStore, audit: AuditLog, clock: Clock): Devices {
  return {
    async enrol(request) {
      const outcome = await enrolDevice(store, clock(), request);
      if (outcome.kind === 'enrolled') {
        const detail = { kid: outcome.device.kid };
        await audit.record({ kind: 'device_enrolled', operator: request.operator, client: null, detail });
      }
      return outcome;
    },
    list: (operator) => store.list(operator),
    async revoke(operator, kid) {
      const revoked = await store.revoke(operator, kid, new Date(clock()));
      if (revoked) await audit.record({ kind: 'device_revoked', operator, client: null, detail: { kid } });
      return revoked;
    },
    rename: (operator, kid, name) => store.rename(operator, kid, name),
  };
}

async function createAccount(
  store: AccountStore,
  now: number,
  { operator, plan }: Pick<Account, 'operator' | 'plan'>,
): Promise<Account> {
  const subject = randomBytes(SUBJECT_BYTES).toString('base64url');
  const account = { subject, operator, plan, suspended: false, created_at: new Date(now).toISOString() };
  if (await store.insert(account)) return account;
  const existing = await store.byOperator(operator);
  if (existing === null) throw new Error('the account could not be created');
  return existing;
}
