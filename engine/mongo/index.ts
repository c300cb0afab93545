import { type Connection, createConnection } from 'mongoose';
import { releaseLostWrites } from './release-lost-writes.ts';

export type { Connection, Model } from 'mongoose';
export { coalesce } from './coalesce.ts';
export { importState, requireFinishedImport, UnfinishedImportError } from './import-state.ts';
export { databaseOf, ensureIndexes, type Indexes } from './indexes.ts';
export {
  DataVersionError,
  type MigrateOptions,
  type Migration,
  type Migrations,
  migrate,
  requireReadable,
  schemaVersion,
} from './migrate.ts';
export { MIGRATIONS } from './migrations.ts';
export {
  type DocumentOf,
  defineStored,
  ensureStored,
  oneOf,
  openStored,
  orNull,
  part,
  required,
  type ShapeOf,
  type Stored,
  shaped,
} from './stored.ts';
export { recordExport } from './stored-data.ts';
export { watchMongo } from './watch-mongo.ts';
export { DUPLICATE_KEY, DURABLE, insertUnlessTaken, newDocumentId } from './writes.ts';

/** Time that an operation waits for an available server, in milliseconds, unless the caller gives another. */
const SERVER_SELECTION_MS = 3_000;
/** Socket timeout of a command, bulk page writes included, in milliseconds. */
const COMMAND_MS = 60_000;
const MAX_POOL = 32;

/** The caller closes it. `commandMs` limits a command, 0 = no limit. Throws without a server within `selectionMs`. */
export async function openMongo(
  url: string,
  { commandMs = COMMAND_MS, selectionMs = SERVER_SELECTION_MS } = {},
): Promise<Connection> {
  releaseLostWrites();
  const connection = createConnection(url, {
    autoIndex: false,
    autoCreate: false,
    bufferCommands: false,
    serverSelectionTimeoutMS: selectionMs,
    socketTimeoutMS: commandMs,
    maxPoolSize: MAX_POOL,
  });
  return connection.asPromise().catch(async (error: unknown) => {
    // Otherwise its monitor keeps the process running.
    await connection.destroy().catch(() => undefined);
    throw error;
  });
}
