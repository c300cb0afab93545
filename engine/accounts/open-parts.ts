import type { KeyObject } from 'node:crypto';
import { createCaseStore, openCaseModels } from '../integrity/cases/index.ts';
import type { Connection } from '../mongo/index.ts';
import { createAccountChanges } from './account-changes.ts';
import { createAuditLog } from './audit-log.ts';
import { createSecretCipher } from './encryption/secret-cipher.ts';
import { createLeagues } from './leagues/create-leagues.ts';
import { createAccountStore } from './mongo/account-store.ts';
import { createDeviceStore } from './mongo/device-store.ts';
import { createIdentityStore } from './mongo/identity-store.ts';
import { openModels } from './mongo/models.ts';
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

/** The parts of which accounts are composed, each over its models. */
export function openParts({ connection, clock, secretsKeys = [] }: AccountsOptions) {
  const models = { ...openModels(connection), ...openCaseModels(connection) };
  const secretRecords = createSecretRecords(models, createSecretCipher(secretsKeys));
  const accounts = createAccountStore(models);
  const identityStore = createIdentityStore(models);
  const denials = createDenials(models, clock);
  const audit = createAuditLog(models, clock);
  const shared = createSharedStore(models, secretRecords);
  return {
    models,
    secretRecords,
    accounts,
    identityStore,
    denials,
    clock,
    devices: createDeviceStore(models),
    caseStore: createCaseStore(models),
    audit,
    sessions: createSessions(models, identityStore, accounts, clock),
    oneTime: createOneTimeSecrets(models, clock),
    shared,
    leagues: createLeagues({ models, shared, audit, clock }),
    changes: createAccountChanges(models, clock),
    oidc: createOidcRecords(models, identityStore, denials, clock),
  };
}
