import type { Database } from 'node-sqlite3-wasm';
import { CliError } from '../cli-error.ts';

/** Marks a file as a store of this tool: `upsl`. */
const APPLICATION_ID = 0x7570736c;

/** Of the schema below, which cli/README.md documents. */
const SCHEMA_VERSION = 1;

const SCHEMA = `
  CREATE TABLE state (epoch INTEGER NOT NULL);
  CREATE TABLE files (
    id INTEGER PRIMARY KEY, version INTEGER NOT NULL, bytes INTEGER NOT NULL, records INTEGER NOT NULL, platform TEXT NOT NULL,
    path TEXT NOT NULL, fingerprint TEXT NOT NULL, skipped TEXT NOT NULL
  );
  CREATE TABLE origins (id INTEGER PRIMARY KEY, model TEXT, project TEXT, session TEXT);
  CREATE TABLE usages (
    key INTEGER PRIMARY KEY, file INTEGER NOT NULL, origin INTEGER NOT NULL, time INTEGER NOT NULL,
    input INTEGER NOT NULL, output INTEGER NOT NULL, cache_read INTEGER NOT NULL, cache_write INTEGER NOT NULL,
    messages INTEGER NOT NULL, requests NOT NULL
  );
  CREATE INDEX usages_of_file ON usages (file);
  CREATE TABLE aliases (key INTEGER PRIMARY KEY, usage INTEGER NOT NULL);
  CREATE INDEX aliases_of_usage ON aliases (usage);
  CREATE TABLE buckets (
    file INTEGER, time INTEGER, origin INTEGER, input INTEGER NOT NULL, output INTEGER NOT NULL, cache_read INTEGER NOT NULL,
    cache_write INTEGER NOT NULL, messages INTEGER NOT NULL, placeholders INTEGER NOT NULL, PRIMARY KEY (file, time, origin)
  ) WITHOUT ROWID;
  CREATE VIEW messages AS
    SELECT datetime(time, 'unixepoch') AS at, platform, model, project, session, input, output, cache_read, cache_write, path
    FROM usages JOIN files ON files.id = usages.file JOIN origins ON origins.id = usages.origin;
`;

/** A store of which something is not as this tool wrote it. */
export class DamagedStoreError extends Error {
  override readonly name = 'DamagedStoreError';
}

/** Makes an empty store of an empty database. */
export function createSchema(database: Database, epoch: number): void {
  database.exec('PRAGMA journal_mode = WAL');
  database.exec(`BEGIN; ${SCHEMA}`);
  database.run('INSERT INTO state VALUES (?)', epoch);
  database.exec(`PRAGMA application_id = ${APPLICATION_ID}; PRAGMA user_version = ${SCHEMA_VERSION}; COMMIT`);
}

/** Throws unless a database is a store of this version. `shown`: its path, for people. */
export function requireSchema(database: Database, shown: string): void {
  const valueOf = (pragma: string): number => Number(database.get(`PRAGMA ${pragma}`)?.[pragma]);
  if (valueOf('application_id') !== APPLICATION_ID) throw new DamagedStoreError('it is not a store of this tool');
  if (valueOf('user_version') > SCHEMA_VERSION)
    throw new CliError('files', 'store_newer', `${shown} is of a newer version of this tool`, 'Update this one.');
}
