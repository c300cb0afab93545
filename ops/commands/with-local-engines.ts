import { constants } from 'node:fs';
import { loadConfig } from '../../config/config.ts';
import { isAccessible } from '../local/find-on-path.ts';
import { hasMongoData } from '../local/mongo/choose-mongo.ts';
import { startEngines } from '../local/start-engines.ts';
import { lockFolder } from '../local/starter/folder-lock.ts';
import { prepareDataDir } from '../local/starter/preconditions.ts';
import { readRunNote, removeRunNote } from '../local/starter/run-note.ts';
import { type CommandContext, CommandError } from './command-context.ts';
import { findService } from './service.ts';

/**
 * Runs a command that is for a stopped service, or also for one. Without an address of MongoDB, it starts the engines of `npm start`
 * over the data in the data folder, and stops them afterwards. `fills`: also where there are none yet, and not beside the `npm start` of that folder.
 *
 * @throws CommandError, SettingsError; StartError when the data folder cannot be used.
 */
export async function withLocalEngines(
  context: CommandContext,
  use: (context: CommandContext) => Promise<void>,
  { fills = false } = {},
): Promise<void> {
  const config = loadConfig(context.environment);
  const { mongoUrl } = await findService(config);
  const { dataDir } = config;
  if (mongoUrl !== undefined) {
    if (fills && mongoUrl === (await readRunNote(dataDir))?.mongo_url)
      throw new CommandError(
        `"npm start" is running over ${dataDir}`,
        'Stop it, and set MONGODB_URL if it had one. Then repeat the command.',
      );
    return use(context);
  }
  if (fills || (await isAccessible(dataDir, constants.F_OK))) await prepareDataDir(dataDir);
  if (!(fills || (await hasMongoData(dataDir)))) {
    const next = 'Set DATA_DIR to the folder of "npm start", or MONGODB_URL to the database of the service.';
    throw new CommandError(`${dataDir} (DATA_DIR) holds no MongoDB data, and MONGODB_URL is not set`, next);
  }
  const lock = await lockFolder(dataDir);
  if (lock === null) {
    const next = 'It is another command or an "npm start": wait until it has ended or is ready, or stop it.';
    throw new CommandError(`a process uses ${dataDir}`, next);
  }
  // With this lock, the note of a killed "npm start" would look like that of one that runs.
  await removeRunNote(dataDir);
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
