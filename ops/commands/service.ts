import { loadConfig } from '../../config/config.ts';
import { type Accounts, createAccounts } from '../../engine/accounts/index.ts';
import { type Billing, createBilling } from '../../engine/billing/index.ts';
import { createRanking, type Ranking } from '../../engine/ranking/index.ts';
import type { CommandContext } from './command-context.ts';
import { type CommandConfig, findService, requireAddress } from './find-service.ts';
import { openConnection } from './mongo/open-connection.ts';

/** The service's doors as a command uses them. */
export interface Service {
  readonly config: CommandConfig;
  readonly accounts: Accounts;
  readonly billing: Billing;
  readonly ranking: Pick<Ranking, 'operators' | 'rejudgePoisoned' | 'rerank' | 'repair'>;
}

/** No command leads anybody to a page. */
const NO_RETURNS = { success: '', cancel: '', portal: '' };

/**
 * Opens the service's stores for one command, and closes them after it.
 *
 * @throws CommandError when they cannot be found or do not answer; SettingsError when the settings cannot be used.
 */
export async function withService(context: CommandContext, use: (service: Service) => Promise<void>): Promise<void> {
  const { clock, environment } = context;
  const settings = loadConfig(environment);
  const config = await findService(settings);
  const connection = await openConnection(requireAddress(config.mongoUrl, 'MONGODB_URL'));
  try {
    const accounts = createAccounts({ connection, clock, secretsKeys: settings.secretsKeys });
    const ranking = createRanking({
      connection,
      clock,
      deviceKeys: accounts.deviceKeys,
      sharedSecret: accounts.sharedSecret,
    });
    // A change of a plan by a command is known to the running processes within seconds.
    const billing = createBilling({ connection, clock, card: { config: settings.billing, returns: NO_RETURNS } });
    await Promise.all([accounts.ensureIndexes(), billing.ensureIndexes(), ranking.ensureIndexes()]);
    await use({ config, accounts, billing, ranking });
  } finally {
    await connection.close();
  }
}
