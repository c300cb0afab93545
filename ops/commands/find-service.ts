import type { Config } from '../../config/config.ts';
import { readRunNote } from '../local/starter/run-note.ts';
import { CommandError } from './command-context.ts';

/** The part of the configuration that commands need. */
export type CommandConfig = Pick<Config, 'mongoUrl' | 'redisUrl' | 'baseUrl' | 'authUrl'>;

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
export function requireAddress(
  address: string | undefined,
  variable: 'MONGODB_URL' | 'REDIS_URL',
  { dataDir }: Pick<Config, 'dataDir'>,
): string {
  if (address !== undefined) return address;
  const looked = `${variable} is not set, and no "npm start" runs over ${dataDir} (DATA_DIR)`;
  throw new CommandError('no running service was found', `${looked}: start it, or set one of them.`);
}
