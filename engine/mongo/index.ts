import { type Connection, createConnection } from 'mongoose';
import { releaseLostWrites } from './release-lost-writes.ts';

export type { Connection } from 'mongoose';
export { coalesce } from './coalesce.ts';
export { type MigrateOptions, type Migration, migrate, NewerDataError, schemaVersion } from './migrate.ts';
export { MIGRATIONS } from './migrations.ts';
export { type PoolUse, watchPool } from './watch-pool.ts';
export { DURABLE, insertUnlessTaken } from './writes.ts';

/** How long an operation waits for a server to be there, before it fails. */
const SERVER_SELECTION_MS = 3_000;
/** How long a command may take on the wire, bulk page writes included. */
const COMMAND_MS = 60_000;
const MAX_POOL = 32;

/**
 * Connects to MongoDB; the caller closes the connection. `commandMs` is how long a command may take, 0 = any time. Throws
 * when there is no server within a few seconds.
 */
export async function openMongo(url: string, { commandMs = COMMAND_MS } = {}): Promise<Connection> {
  releaseLostWrites();
  return createConnection(url, {
    autoIndex: false,
    autoCreate: false,
    bufferCommands: false,
    serverSelectionTimeoutMS: SERVER_SELECTION_MS,
    socketTimeoutMS: commandMs,
    maxPoolSize: MAX_POOL,
  }).asPromise();
}

/** Throws when MongoDB does not answer. */
export async function pingMongo(connection: Connection): Promise<void> {
  if (connection.db === undefined) throw new Error('the MongoDB connection is not open');
  await connection.db.command({ ping: 1 });
}
