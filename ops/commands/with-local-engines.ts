import { loadConfig } from '../../config/config.ts';
import { hasMongoData } from '../local/mongo/choose-mongo.ts';
import { startEngines } from '../local/start-engines.ts';
import { lockFolder } from '../local/starter/folder-lock.ts';
import { prepareDataDir } from '../local/starter/preconditions.ts';
import { type CommandContext, CommandError } from './command-context.ts';
import { findService } from './service.ts';

/**
 * Runs a command that is for a stopped service, or also for one. Without an address of MongoDB, it starts the engines of `npm start`
 * over the data in the data folder, and stops them afterwards. `fills`: also where there are none yet.
 */
export async function withLocalEngines(
  context: CommandContext,
  use: (context: CommandContext) => Promise<void>,
  { fills = false } = {},
): Promise<void> {
  const config = loadConfig(context.environment);
  const { mongoUrl } = await findService(config);
  const { dataDir } = config;
  if (mongoUrl !== undefined || !(fills || (await hasMongoData(dataDir)))) return use(context);
  await prepareDataDir(dataDir);
  const lock = await lockFolder(dataDir);
  if (lock === null)
    throw new CommandError(`a process is running over ${dataDir}`, 'Wait until it has started or ended, or stop it.');
  context.printError(`MONGODB_URL is not set: the engines of npm start run over ${dataDir} for this command.\n`);
  const environment = Object.fromEntries(
    Object.entries(context.environment).filter((entry): entry is [string, string] => entry[1] !== undefined),
  );
  const report = (name: string, reason: string) => context.printError(`${name} ${reason}\n`);
  try {
    const choice = { mongoUrl, redisUrl: config.redisUrl, dataDir, environment };
    const engines = await startEngines(choice, { ended: report, restarted: () => undefined, gaveUp: report });
    try {
      const addresses = { MONGODB_URL: engines.mongo.url, REDIS_URL: engines.redis.url };
      await use({ ...context, environment: { ...context.environment, ...addresses } });
    } finally {
      await engines.stop();
    }
  } finally {
    await lock.release();
  }
}
