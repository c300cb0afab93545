import { randomBytes } from 'node:crypto';
import type { Connection } from '../mongo/index.ts';
import { enrolDevice } from './devices/enrol-device.ts';
import { type AccountStore, createAccountStore } from './mongo/account-store.ts';
import { ensureAccountIndexes, openCollections } from './mongo/collections.ts';
import { createDeviceStore } from './mongo/device-store.ts';
import { createSigningKeyStore } from './mongo/signing-key-store.ts';
import { createSigningKeys } from './signing-keys/create-signing-keys.ts';
import type { Account, Accounts, Clock } from './types.ts';

/** The plan of an account that was given none. */
export const FREE_PLAN = 'free';

const SUBJECT_BYTES = 16;

/** Accounts over a connected MongoDB connection, which stays its opener's to close. */
export function createAccounts({ connection, clock }: { connection: Connection; clock: Clock }): Accounts {
  const collections = openCollections(connection);
  const accounts = createAccountStore(collections);
  const devices = createDeviceStore(collections);
  const signingKeys = createSigningKeys({ store: createSigningKeyStore(collections), clock });
  return {
    create: ({ operator, plan = FREE_PLAN }) => createAccount(accounts, clock(), { operator, plan }),
    bySubject: (subject) => accounts.bySubject(subject),
    byOperator: (operator) => accounts.byOperator(operator),
    setPlan: accounts.setPlan,
    suspend: accounts.setSuspended,
    devices: {
      enrol: (request) => enrolDevice(devices, clock(), request),
      list: (operator) => devices.list(operator),
      revoke: (operator, kid) => devices.revoke(operator, kid, new Date(clock())),
      rename: (operator, kid, name) => devices.rename(operator, kid, name),
    },
    deviceKeys: (kids) => devices.keys(kids),
    signingKeys,
    jwks: () => signingKeys.jwks(),
    ensureIndexes: () => ensureAccountIndexes(connection),
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
