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
  requireFinishedImport,
  requireReadable,
  schemaVersion,
} from '../../engine/mongo/index.ts';
import { createRanking, type Ranking } from '../../engine/ranking/index.ts';
import { readRunNote } from '../local/starter/run-note.ts';
import { openQueues, QUEUE_NAMES } from '../runtime/queues/index.ts';
import { reachRedis } from '../runtime/stores/index.ts';
import { type CommandContext, CommandError } from './command-context.ts';

/** The part of the configuration that commands need. */
type CommandConfig = Pick<Config, 'mongoUrl' | 'redisUrl' | 'baseUrl' | 'authUrl'>;

/** How long a command waits for a store to respond, in milliseconds. */
const RESPONSE_TIMEOUT_MS = 5_000;

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
 * Opens the service's stores for one command; checks `SECRETS_KEY` before anything is written, unless the command repairs it.
 * @throws CommandError, SettingsError; SecretsKeyError when the key does not match the stored secrets; UnfinishedImportError.
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
    await requireFinishedImport(connection);
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

/** Opens only MongoDB, without indexes or modules, for a command on the raw data. @throws CommandError, SettingsError. */
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

/** Opens every queue for one command. @throws CommandError, SettingsError. */
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

/**
 * Finds the addresses of the service. The run note in the data folder has them, since the service may have been started with
 * other settings than this command; addresses in the settings take precedence.
 */
export async function findService(config: Config): Promise<CommandConfig> {
  const { mongoUrl, redisUrl } = config;
  const note = await readRunNote(config.dataDir);
  if (note === null || (mongoUrl !== undefined && mongoUrl !== note.mongo_url)) return config;
  return {
    mongoUrl: note.mongo_url,
    redisUrl: redisUrl ?? note.redis_url,
    baseUrl: note.base_url,
    authUrl: note.auth_url,
  };
}

/** @throws CommandError when the address is undefined. */
function requireAddress(
  address: string | undefined,
  variable: 'MONGODB_URL' | 'REDIS_URL',
  { dataDir }: Pick<Config, 'dataDir'>,
): string {
  if (address !== undefined) return address;
  const looked = `${variable} is not set, and no "npm start" runs over ${dataDir} (DATA_DIR)`;
  throw new CommandError('no running service was found', `${looked}: start it, or set one of them.`);
}
