import { randomBytes } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import type { Connection } from 'mongoose';
import { MS_PER_SECOND } from '../../config/units.ts';
import { requireFinishedImport } from './import-state.ts';
import { databaseOf } from './indexes.ts';
import { DURABLE, insertUnlessTaken } from './writes.ts';

/**
 * A change of the storage layout. It may be interrupted and repeated, and older processes may write while it runs: it must
 * find the remaining work in the data itself and use repeatable writes.
 */
export interface Migration {
  /** One more than the previous. A published migration is never edited. */
  readonly version: number;
  readonly name: string;
  /** Whether processes of the release before may run while it runs and afterwards. */
  readonly besideFormer: boolean;
  run(connection: Connection): Promise<void>;
}

export interface Migrations {
  /** The first schema version that this program reads. */
  readonly from: number;
  /** The last commit that reads earlier versions. */
  readonly lastReader: string;
  /** In order, from version `from + 1` on. */
  readonly steps: readonly Migration[];
}

export interface MigrateOptions {
  readonly migrations: Migrations;
  /** Milliseconds since the epoch. */
  readonly clock: () => number;
  /** For the import itself; others are refused while one is unfinished. */
  readonly duringImport?: boolean;
  /** Called after each migration. */
  readonly onRan?: (ran: { version: number; name: string; seconds: number }) => void;
  /** Time to wait for another migrating process, in milliseconds. */
  readonly waitMs?: number;
}

/** The data have a schema version that this program does not read. */
export class DataVersionError extends Error {
  override readonly name = 'DataVersionError';
}

/** @throws DataVersionError for a schema version that this program does not read. */
export function requireReadable(version: number, migrations: Migrations): void {
  const { from, lastReader } = migrations;
  const known = newestOf(migrations);
  if (version > known) {
    throw new DataVersionError(
      `the data have version ${version}, but this release supports versions up to ${known}: run the newer release`,
    );
  }
  if (version < from) {
    throw new DataVersionError(
      `the data have a version before ${from}, the first that this program reads: the last commit that reads them is ${lastReader}`,
    );
  }
}

function newestOf({ from, steps }: Migrations): number {
  return steps.at(-1)?.version ?? from;
}

interface SchemaDocument {
  _id: 'schema';
  version: number;
  /** The process that migrates, and the end of its lock unless renewed. */
  holder?: string;
  until?: Date;
}

/** Lock time: a crashed process blocks others for this long. */
const LOCK_MS = 15_000;
const RENEW_MS = 5_000;
const LOOK_MS = 200;
const WAIT_MS = 10 * 60_000;

/** The schema version of the data (null for a new installation) and the newest known one. */
export async function schemaVersion(
  connection: Connection,
  migrations: Migrations,
): Promise<{ readonly stored: number | null; readonly known: number }> {
  const found = await schemaOf(connection).findOne({ _id: 'schema' });
  return { stored: found?.version ?? null, known: newestOf(migrations) };
}

/**
 * Migrates the data to the newest known version, one migration after another, in one process at a time; others wait. A new
 * installation starts at the newest version. Returns the versions that were run.
 *
 * @throws DataVersionError for data that this program does not read; UnfinishedImportError; an Error when another process takes too long.
 */
export async function migrate(connection: Connection, options: MigrateOptions): Promise<readonly number[]> {
  const { migrations, clock, duringImport = false, waitMs = WAIT_MS } = options;
  if (!duringImport) await requireFinishedImport(connection);
  const schema = schemaOf(connection);
  const holder = randomBytes(9).toString('base64url');
  const ran: number[] = [];
  await begin(connection, migrations);
  for (const deadline = performance.now() + waitMs; ; ) {
    const { stored, known } = await schemaVersion(connection, migrations);
    const version = stored ?? 0;
    requireReadable(version, migrations);
    if (version === known) return ran;
    if (performance.now() > deadline) throw new Error('another process has been migrating the data for too long');
    const until = { $not: { $gte: new Date(clock()) } };
    const { matchedCount } = await schema.updateOne(
      { _id: 'schema', version, until },
      { $set: { holder, until: new Date(clock() + LOCK_MS) } },
      DURABLE,
    );
    if (matchedCount === 0) {
      await pause(LOOK_MS);
      continue;
    }
    const next = migrations.steps.find((migration) => migration.version === version + 1);
    if (next === undefined) throw new Error(`there is no migration to version ${version + 1}`);
    const begun = performance.now();
    await runLocked(connection, next, holder, clock);
    const { version: reached, name } = next;
    options.onRan?.({ version: reached, name, seconds: (performance.now() - begun) / MS_PER_SECOND });
    ran.push(reached);
  }
}

/** An empty database has the newest version. */
async function begin(connection: Connection, migrations: Migrations): Promise<void> {
  const { stored, known } = await schemaVersion(connection, migrations);
  if (stored !== null) return;
  const anybody = await connection.collection('operators').findOne({}, { projection: { _id: 1 } });
  if (anybody !== null) return;
  await insertUnlessTaken(() => schemaOf(connection).insertOne({ _id: 'schema', version: known }, DURABLE));
}

/** Runs a migration while renewing its lock; records the version only if the lock was held throughout. */
async function runLocked(
  connection: Connection,
  migration: Migration,
  holder: string,
  clock: () => number,
): Promise<void> {
  const schema = schemaOf(connection);
  const held = { _id: 'schema', holder } as const;
  const renew = (): void => {
    // A failed renewal is detected at the end, when another process has the lock.
    schema.updateOne(held, { $set: { until: new Date(clock() + LOCK_MS) } }).catch(() => undefined);
  };
  const timer = setInterval(renew, RENEW_MS);
  try {
    await migration.run(connection);
  } catch (error) {
    await schema.updateOne(held, { $unset: { holder: true, until: true } });
    throw error;
  } finally {
    clearInterval(timer);
  }
  const done = { $set: { version: migration.version }, $unset: { holder: true, until: true } } as const;
  await schema.updateOne({ ...held, version: migration.version - 1 }, done, DURABLE);
}

function schemaOf(connection: Connection) {
  return databaseOf(connection).collection<SchemaDocument>('schema');
}
