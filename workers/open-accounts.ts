import type { ServiceConfig } from '../config/config.ts';
import { SettingsError } from '../config/settings-error.ts';
import { type Accounts, createAccounts, SecretsKeyError } from '../engine/accounts/index.ts';
import type { Connection } from '../engine/mongo/index.ts';
import type { Clock } from '../engine/ranking/index.ts';

interface OpenAccountsOptions {
  readonly connection: Connection;
  readonly clock: Clock;
  readonly config: Pick<ServiceConfig, 'secretsKeys'>;
}

/**
 * Opens accounts with their indexes, and encrypts stored secrets when a key is configured.
 *
 * @throws SettingsError when `SECRETS_KEY` does not match the stored secrets.
 */
export async function openAccounts({ connection, clock, config }: OpenAccountsOptions): Promise<Accounts> {
  const accounts = createAccounts({ connection, clock, secretsKeys: config.secretsKeys });
  await accounts.ensureIndexes();
  try {
    await accounts.storedSecrets.encrypt();
  } catch (error) {
    throw error instanceof SecretsKeyError ? new SettingsError([error.message], { cause: error }) : error;
  }
  return accounts;
}
