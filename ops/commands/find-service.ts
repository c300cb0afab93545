import type { Config } from '../../config/config.ts';
import { readRunNote } from '../local/starter/run-note.ts';
import { CommandError } from './command-error.ts';

/** What commands need to know of the service they work on. */
export type CommandConfig = Pick<Config, 'mongoUrl' | 'redisUrl' | 'baseUrl' | 'issuer' | 'jwksUrl'>;

/**
 * Where the service is. What runs over the data folder says so itself, since it may have been started with other settings
 * than this command was; addresses that the settings name come before it.
 */
export async function findService(config: Config): Promise<CommandConfig> {
  const { mongoUrl, redisUrl, baseUrl, issuer, jwksUrl } = config;
  const note = await readRunNote(config.dataDir);
  const isOther = note === null || (mongoUrl !== undefined && mongoUrl !== note.mongo_url);
  if (isOther) return { mongoUrl, redisUrl, baseUrl, issuer, jwksUrl };
  return {
    mongoUrl: note.mongo_url,
    redisUrl: redisUrl ?? note.redis_url,
    baseUrl: note.base_url,
    issuer: note.issuer,
    jwksUrl: note.jwks_url ?? undefined,
  };
}

/** @throws CommandError when the address of a database that a command needs is not known. */
export function requireAddress(address: string | undefined, variable: 'MONGODB_URL' | 'REDIS_URL'): string {
  if (address !== undefined) return address;
  throw new CommandError('no running service was found', `Start it with "npm start", or set ${variable}.`);
}
