import { loadConfig } from '../../config/config.ts';
import { type Accounts, createAccounts } from '../../engine/accounts/index.ts';
import { type Billing, createBilling } from '../../engine/billing/index.ts';
import { createRanking, type Ranking } from '../../engine/ranking/index.ts';
import type { CommandContext } from './command-context.ts';
import { type CommandConfig, findService, requireAddress } from './find-service.ts';
import { openConnection } from './mongo/open-connection.ts';

/** The service's modules as commands use them. */
export interface Service {
  readonly config: CommandConfig;
  readonly accounts: Accounts;
  readonly billing: Billing;
  readonly ranking: Pick<Ranking, 'operators' | 'reprocessPoisoned' | 'rerank' | 'repair'>;
}

/** Commands redirect to no page. */
const NO_RETURNS = { success: '', cancel: '', portal: '' };

/**
 * Opens the service's stores for one command, and closes them after it.
 *
 * @throws CommandError when they are not configured or do not respond; SettingsError when the settings are invalid.
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
    // The running processes see a plan that a command changes within seconds.
    const billing = createBilling({ connection, clock, card: { config: settings.billing, returns: NO_RETURNS } });
    await Promise.all([accounts.ensureIndexes(), billing.ensureIndexes(), ranking.ensureIndexes()]);
    await use({ config, accounts, billing, ranking });
  } finally {
    await connection.close();
  }
}
