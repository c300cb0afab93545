import type { KeyObject } from 'node:crypto';
import type { Connection } from '../mongo/index.ts';
import { createAccountChanges } from './account-changes.ts';
import { createAuditLog } from './audit-log.ts';
import { createSecretCipher } from './encryption/secret-cipher.ts';
import { createAccountStore } from './mongo/account-store.ts';
import { createCaseStore } from './mongo/case-store.ts';
import { openCollections } from './mongo/collections.ts';
import { createDeviceStore } from './mongo/device-store.ts';
import { createIdentityStore } from './mongo/identity-store.ts';
import { createSecretRecords } from './mongo/secret-records.ts';
import { createSharedStore } from './mongo/shared-store.ts';
import { createDenials } from './oidc/create-denials.ts';
import { createOidcRecords } from './oidc/create-oidc-records.ts';
import { createOneTimeSecrets } from './one-time-secrets.ts';
import { createSessions } from './sessions.ts';

export interface AccountsOptions {
  readonly connection: Connection;
  readonly clock: () => number;
  /** The keys of `SECRETS_KEY`: the first encrypts stored secrets, each decrypts them. Without a key they are stored in clear. */
  readonly secretsKeys?: readonly KeyObject[];
}

export type AccountParts = ReturnType<typeof openParts>;

/** The parts of which accounts are composed, each over its collections. */
export function openParts({ connection, clock, secretsKeys = [] }: AccountsOptions) {
  const collections = openCollections(connection);
  const secretRecords = createSecretRecords(collections, createSecretCipher(secretsKeys));
  const accounts = createAccountStore(collections);
  const identityStore = createIdentityStore(collections);
  const denials = createDenials(collections, clock);
  return {
    collections,
    secretRecords,
    accounts,
    identityStore,
    denials,
    clock,
    devices: createDeviceStore(collections),
    caseStore: createCaseStore(collections),
    audit: createAuditLog(collections, clock),
    sessions: createSessions(collections, identityStore, accounts, clock),
    oneTime: createOneTimeSecrets(collections, clock),
    shared: createSharedStore(collections, secretRecords),
    changes: createAccountChanges(collections, clock),
    oidc: createOidcRecords(collections, identityStore, denials, clock),
  };
}
