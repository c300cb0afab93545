import { randomBytes } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import type { Connection } from 'mongoose';
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
  run(connection: Connection): Promise<void>;
}

export interface MigrateOptions {
  readonly migrations: readonly Migration[];
  /** Milliseconds since the epoch. */
  readonly clock: () => number;
  /** Time to wait for another migrating process, in milliseconds. */
  readonly waitMs?: number;
}

/** The data have a newer schema version than this release supports. */
export class NewerDataError extends Error {
  override readonly name = 'NewerDataError';

  constructor(stored: number, known: number) {
    super(`the data have version ${stored}, but this release supports versions up to ${known}: run the newer release`);
  }
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
  migrations: readonly Migration[],
): Promise<{ readonly stored: number | null; readonly known: number }> {
  const found = await schemaOf(connection).findOne({ _id: 'schema' });
  return { stored: found?.version ?? null, known: migrations.at(-1)?.version ?? 0 };
}

/**
 * Migrates the data to the newest known version, one migration after another, in one process at a time; others wait. A new
 * installation starts at the newest version. Returns the versions that were run.
 *
 * @throws NewerDataError when the data have a newer version; an Error when another process takes too long.
 */
export async function migrate(connection: Connection, options: MigrateOptions): Promise<readonly number[]> {
  const { migrations, clock, waitMs = WAIT_MS } = options;
  const schema = schemaOf(connection);
  const holder = randomBytes(9).toString('base64url');
  const ran: number[] = [];
  await begin(connection, migrations);
  for (const deadline = performance.now() + waitMs; ; ) {
    const { stored, known } = await schemaVersion(connection, migrations);
    const version = stored ?? 0;
    if (version > known) throw new NewerDataError(version, known);
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
    const next = migrations.find((migration) => migration.version === version + 1);
    if (next === undefined) throw new Error(`there is no migration to version ${version + 1}`);
    await runLocked(connection, next, holder, clock);
    ran.push(next.version);
  }
}

/** Data without a recorded version have version 1; an empty database has the newest. */
async function begin(connection: Connection, migrations: readonly Migration[]): Promise<void> {
  const { stored, known } = await schemaVersion(connection, migrations);
  if (stored !== null) return;
  const anybody = await connection.collection('operators').findOne({}, { projection: { _id: 1 } });
  const first = { _id: 'schema', version: anybody === null ? known : 1 } as const;
  await insertUnlessTaken(() => schemaOf(connection).insertOne({ ...first }, DURABLE));
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
