import { createCases } from '../integrity/cases/index.ts';
import { ensureStored } from '../mongo/index.ts';
import type { AuditLog } from './audit-log.ts';
import { createAutomationTokens } from './devices/automation-tokens.ts';
import { cacheDeviceKeys, createKeyOwnerLookup } from './devices/cache-device-keys.ts';
import { type EnrolmentRequest, enrolDevice } from './devices/enrol-device.ts';
import { createErasures } from './erasures.ts';
import { createIdentities } from './identities/create-identities.ts';
import { createLetters } from './letters.ts';
import { AUDIT_RETENTION_MS } from './limits.ts';
import { FREE_PLAN } from './mongo/account-store.ts';
import type { SecretRecords } from './mongo/secret-records.ts';
import { type AccountParts, type AccountsOptions, openParts } from './open-parts.ts';
import { createArchiveKeys, createSigningKeys, type SigningKeys } from './signing-keys.ts';

export type Accounts = ReturnType<typeof createAccounts>;

/** Opens accounts, creates indexes, encrypts stored secrets. @throws SecretsKeyError when the keys do not match them. */
export async function openAccounts(options: AccountsOptions): Promise<Accounts> {
  const accounts = createAccounts(options);
  await accounts.ensureIndexes();
  await accounts.storedSecrets.encrypt();
  return accounts;
}

/** Accounts over a connected MongoDB connection. The caller closes the connection. */
export function createAccounts(options: AccountsOptions) {
  const { clock } = options;
  const parts = openParts(options);
  const { accounts, devices, sessions, oneTime, oidc, denials, changes, audit, shared, secretRecords } = parts;
  const signingKeys = createSigningKeys(parts);
  const { bySubject, byOperator } = accounts;

  return {
    /** Creates the account of an operator, or returns the existing one. */
    create: ({ operator, plan = FREE_PLAN }: { readonly operator: number; readonly plan?: string | undefined }) =>
      accounts.create(operator, plan, clock()),
    bySubject,
    byOperator,
    /** False when there is no such account. */
    setPlan: (operator: number, plan: string) => changes.announce(operator, () => accounts.setPlan(operator, plan)),
    /** False when there is no such account. A suspension ends sessions, grants and automation tokens for good. */
    suspend: (operator: number, suspended: boolean) =>
      changes.announce(operator, () => suspend(parts, operator, suspended)),
    suspendedOperators: () => accounts.having('suspended'),
    moderators: () => accounts.having('moderator'),
    /** Grants or revokes the moderator role; false when there is no such account. Takes effect at once. */
    setModerator: (operator: number, moderator: boolean) => setModerator(parts, operator, moderator),
    /** Operators whose rows are held because a way to sign in to them was that of an excluded and erased account. */
    holds: {
      list: () => accounts.held(clock()),
      end: (operator: number, until: Date) => accounts.endHold(operator, until),
    },
    cases: createCases(parts),
    leagues: parts.leagues,
    devices: createDevices(parts),
    automationTokens: createAutomationTokens(parts),
    /** Device keys by `kid`; revocations are always current; unless `fresh`, an owner may be one from before an erasure. */
    deviceKeys: cacheDeviceKeys(devices, clock),
    findKeyOwner: createKeyOwnerLookup(devices),
    signingKeys,
    jwks: signingKeys.jwks,
    archiveKeys: createArchiveKeys(parts),
    identities: createIdentities(parts),
    letters: createLetters(parts),
    sessions,
    oneTime,
    oidc,
    denials,
    changes,
    erasures: createErasures(parts),
    audit,
    sharedSecret: (name: string) => shared.secret(name),
    storedSecrets: createStoredSecrets(secretRecords, signingKeys, audit),
    /** Deletes expired documents; returns their number. */
    deleteExpired: () => shared.deleteExpired(new Date(clock()), new Date(clock() - AUDIT_RETENTION_MS)),
    /** Creates the indexes that correctness depends on; call it before anything else. Safe to repeat. */
    ensureIndexes: () => ensureStored(Object.values(parts.models)),
  };
}

async function suspend(
  { accounts, devices, sessions, oidc, audit, clock }: AccountParts,
  operator: number,
  suspended: boolean,
): Promise<boolean> {
  const account = await accounts.byOperator(operator);
  if (account === null || !(await accounts.setSuspended(operator, suspended))) return false;
  if (suspended) {
    await oidc.revokeSubject(account.subject);
    await sessions.endAll(operator);
    await devices.revokeTokens(operator, new Date(clock()));
  }
  const kind = suspended ? 'operator_suspended' : 'operator_restored';
  await audit.record({ kind, operator, client: null, detail: {} });
  return true;
}

async function setModerator({ accounts, audit }: AccountParts, operator: number, moderator: boolean): Promise<boolean> {
  if (!(await accounts.setModerator(operator, moderator))) return false;
  const kind = moderator ? 'moderator_granted' : 'moderator_revoked';
  await audit.record({ kind, operator, client: null, detail: {} });
  return true;
}

/** Signing keys and shared secrets as stored in MongoDB. */
function createStoredSecrets(records: SecretRecords, signingKeys: SigningKeys, audit: AuditLog) {
  return {
    count: () => records.count(),
    /** @throws SecretsKeyError when one of them does not decrypt, or is in clear although a key is set. */
    check: () => records.check(),

    /** Encrypts all with the first key, if set, before anything uses them. @throws SecretsKeyError when one does not decrypt. */
    async encrypt(): Promise<void> {
      await records.encryptAll();
      // A new database gets its first signing key here, so that a process with another `SECRETS_KEY`, or none, is refused.
      if (records.encrypts) await signingKeys.jwks();
    },

    /**
     * After a key was lost: deletes the secrets that do not decrypt, and ends all sessions and grants. Returns the ids of the
     * deleted secrets. No process of the service may run meanwhile.
     */
    async discardUnreadable(): Promise<readonly string[]> {
      const names = await records.discardUnreadable();
      if (names.length > 0) {
        const detail = { names: names.join(', ') };
        await audit.record({ kind: 'secrets_discarded', operator: null, client: null, detail });
      }
      return names;
    },
  };
}

function createDevices(parts: AccountParts) {
  const { devices: store, audit, clock } = parts;
  return {
    /** Enrols a key after checking it and its proof. */
    enrol: (request: EnrolmentRequest) => enrolDevice(parts, request),
    /** All of an operator's devices, revoked ones included, oldest first. */
    list: (operator: number) => store.list(operator),
    /** Revokes a key from now on; repeating it changes nothing. False when the operator has no such device. */
    async revoke(operator: number, kid: string): Promise<boolean> {
      const revoked = await store.revoke(operator, kid, new Date(clock()));
      if (revoked) await audit.record({ kind: 'device_revoked', operator, client: null, detail: { kid } });
      return revoked;
    },
    /** False when the operator has no such device. */
    rename: (operator: number, kid: string, name: string | null) => store.rename(operator, kid, name),
  };
}
