import mongoose, { type Connection } from 'mongoose';
import { redactUrl } from '../../../config/redact-url.ts';
import { CommandError } from '../command-error.ts';

/** How long a command waits for MongoDB to answer, in milliseconds. */
const ANSWER_WITHIN_MS = 3_000;

/** Connections of a command: it does one thing at a time. */
const POOL_SIZE = 4;

/**
 * Connects to MongoDB. The caller closes the connection.
 *
 * @throws CommandError when it does not answer.
 */
export async function openConnection(url: string): Promise<Connection> {
  const options = { serverSelectionTimeoutMS: ANSWER_WITHIN_MS, maxPoolSize: POOL_SIZE, autoIndex: false };
  const connection = mongoose.createConnection(url, options);
  try {
    return await connection.asPromise();
  } catch (error) {
    await connection.destroy().catch(() => undefined);
    const next = 'Start the service with "npm start", or set MONGODB_URL to a MongoDB that runs.';
    throw new CommandError(`MongoDB at ${redactUrl(url)} does not answer`, next, { cause: error });
  }
}
