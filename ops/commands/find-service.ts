import type { Config } from '../../config/config.ts';
import { CommandError } from './command-error.ts';

/** What commands need to know of the service they work on. */
export type CommandConfig = Pick<Config, 'mongoUrl' | 'redisUrl' | 'baseUrl' | 'issuer' | 'jwksUrl'>;

/** Where the service is: as the settings say. */
export async function findService({ mongoUrl, redisUrl, baseUrl, issuer, jwksUrl }: Config): Promise<CommandConfig> {
  return { mongoUrl, redisUrl, baseUrl, issuer, jwksUrl };
}

/** @throws CommandError when the address of a database that a command needs is not known. */
export function requireAddress(address: string | undefined, variable: 'MONGODB_URL' | 'REDIS_URL'): string {
  if (address !== undefined) return address;
  throw new CommandError('no running service was found', `Start it with "npm start", or set ${variable}.`);
}
