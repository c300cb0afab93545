import mongoose, { type Connection } from 'mongoose';
import { redactUrl } from '../../../config/redact-url.ts';
import { CommandError } from '../command-error.ts';

/** How long a command waits for MongoDB to respond, in milliseconds. */
const RESPONSE_TIMEOUT_MS = 3_000;

const POOL_SIZE = 4;

/**
 * Connects to MongoDB. The caller closes the connection.
 *
 * @throws CommandError when it does not respond.
 */
export async function openConnection(url: string): Promise<Connection> {
  const options = { serverSelectionTimeoutMS: RESPONSE_TIMEOUT_MS, maxPoolSize: POOL_SIZE, autoIndex: false };
  const connection = mongoose.createConnection(url, options);
  try {
    return await connection.asPromise();
  } catch (error) {
    await connection.destroy().catch(() => undefined);
    const next = 'Start the service with "npm start", or set MONGODB_URL to a running MongoDB.';
    throw new CommandError(`MongoDB at ${redactUrl(url)} does not respond`, next, { cause: error });
  }
}
