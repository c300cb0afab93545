import type { Queue } from 'bullmq';
import { type Config, loadConfig } from '../../config/config.ts';
import { redactUrl } from '../../config/redact-url.ts';
import { type Accounts, createAccounts } from '../../engine/accounts/index.ts';
import { type Billing, createBilling } from '../../engine/billing/index.ts';
import {
  type Connection,
  MIGRATIONS,
  migrate,
  openMongo,
  requireReadable,
  schemaVersion,
} from '../../engine/mongo/index.ts';
import { createRanking, type Ranking } from '../../engine/ranking/index.ts';
import { openQueues, QUEUE_NAMES } from '../runtime/queues/index.ts';
import { reachRedis } from '../runtime/stores/index.ts';
import { type CommandContext, CommandError } from './command-context.ts';
import { type CommandConfig, findService, requireAddress } from './find-service.ts';

/** How long a command waits for a store to respond, in milliseconds. */
const RESPONSE_TIMEOUT_MS = 1_500;

/** The service's modules as commands use them. */
export interface Service {
  readonly config: CommandConfig;
  readonly accounts: Accounts;
  readonly billing: Billing;
  readonly ranking: Ranking;
}

/** Commands redirect to no page. */
const NO_RETURNS = { success: '', cancel: '', portal: '' };

/**
 * Opens the service's stores for one command, and closes them after it. Checks `SECRETS_KEY` before anything is written,
 * unless the command is there to repair it.
 * @throws CommandError when they are not configured or do not respond; SettingsError when the settings are invalid;
 * SecretsKeyError when the key does not match the stored secrets.
 */
export async function withService(
  context: CommandContext,
  use: (service: Service) => Promise<void>,
  { checkKey = true } = {},
): Promise<void> {
  const { clock } = context;
  await withConnection(context, async (connection, config, settings) => {
    const { stored, known } = await schemaVersion(connection, MIGRATIONS);
    requireReadable(stored ?? known, MIGRATIONS);
    const accounts = createAccounts({ connection, clock, secretsKeys: settings.secretsKeys });
    if (checkKey) await accounts.storedSecrets.check();
    const { deviceKeys, sharedSecret } = accounts;
    const ranking = createRanking({ connection, clock, deviceKeys, sharedSecret });
    // The running processes see a plan that a command changes within seconds.
    const card = { config: context.billing ?? settings.billing, returns: NO_RETURNS };
    const billing = createBilling({ connection, clock, card });
    // The service does both at each start. A command needs the rights only before the first one.
    if (stored === null) {
      await migrate(connection, { migrations: MIGRATIONS, clock });
      await Promise.all([accounts, billing, ranking].map((engine) => engine.ensureIndexes()));
    }
    await use({ config, accounts, billing, ranking });
  });
}

/**
 * Connects to the service's MongoDB for a command that works on the raw database: creates no index and opens no module.
 * @throws CommandError when it is not configured or does not respond; SettingsError when the settings are invalid.
 */
export async function withConnection(
  { environment }: CommandContext,
  use: (connection: Connection, config: CommandConfig, settings: Config) => Promise<void>,
): Promise<void> {
  const settings = loadConfig(environment);
  const config = await findService(settings);
  const url = requireAddress(config.mongoUrl, 'MONGODB_URL', settings);
  const limits = { commandMs: 0, selectionMs: RESPONSE_TIMEOUT_MS };
  const connection = await openMongo(url, limits).catch(unreachable('MongoDB', url, 'MONGODB_URL', settings.mongoUrl));
  try {
    await use(connection, config, settings);
  } finally {
    await connection.close();
  }
}

/**
 * Opens every queue for one command, and closes them after it.
 * @throws CommandError when Redis is not configured or does not respond; SettingsError when the settings are invalid.
 */
export async function withQueues(
  { environment, queuePrefix }: CommandContext,
  use: (queues: readonly Queue[]) => Promise<void>,
): Promise<void> {
  const settings = loadConfig(environment);
  const { redisUrl } = await findService(settings);
  const url = requireAddress(redisUrl, 'REDIS_URL', settings);
  const reached = reachRedis(url, RESPONSE_TIMEOUT_MS);
  const redis = await reached.catch(unreachable('Redis', url, 'REDIS_URL', settings.redisUrl));
  try {
    // The error handler ignores errors: each also rejects the call that it belongs to.
    const queues = openQueues(redis, queuePrefix, () => undefined);
    await use(QUEUE_NAMES.map((name) => queues[name]));
    await queues.close();
  } finally {
    redis.disconnect();
  }
}

/** Turns the error of a store that does not respond into a CommandError. `given`: the address in the settings, if that is it. */
function unreachable(
  store: string,
  url: string,
  variable: string,
  given: string | undefined,
): (cause: unknown) => never {
  return (cause) => {
    const next =
      given === url
        ? `The address is that of ${variable}: start that ${store}, or correct the setting.`
        : `The address is that of the last "npm start": start it again, or set ${variable} to a running ${store}.`;
    throw new CommandError(`${store} at ${redactUrl(url)} does not respond`, next, { cause });
  };
}
