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
 * Accounts as a process of the service opens them: with their indexes, and stored secrets encrypted where there is a key.
 *
 * @throws SettingsError when `SECRETS_KEY` is not the one that secrets are encrypted with.
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
