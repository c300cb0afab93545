import { randomBytes } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import type { Connection } from 'mongoose';
import { DURABLE, insertUnlessTaken } from './writes.ts';

/**
 * A change to how data is stored. It may be cut short and run again, and older programs may still write while it runs: so it
 * finds what is left to do by what the data say, and does it in writes that can be repeated.
 */
export interface Migration {
  /** One more than the one before. A published one is never edited. */
  readonly version: number;
  readonly name: string;
  run(connection: Connection): Promise<void>;
}

export interface MigrateOptions {
  readonly migrations: readonly Migration[];
  /** Milliseconds since the epoch. */
  readonly clock: () => number;
  /** How long to wait for another process that migrates, in milliseconds. */
  readonly waitMs?: number;
}

/** The data were written by a newer program than this one, which might not understand them. */
export class NewerDataError extends Error {
  constructor(stored: number, known: number) {
    super(`the data have version ${stored}, and this program knows versions up to ${known}: run the newer program`);
  }
}

interface SchemaDocument {
  _id: 'schema';
  version: number;
  /** Who migrates, until when unless renewed. */
  holder?: string;
  until?: Date;
}

/** A process that died while it migrated keeps others waiting this long. */
const LOCK_MS = 15_000;
const RENEW_MS = 5_000;
const LOOK_MS = 200;
const WAIT_MS = 10 * 60_000;

/** The version of the data, and the one that these migrations lead to; the data of a new installation have none yet. */
export async function schemaVersion(
  connection: Connection,
  migrations: readonly Migration[],
): Promise<{ readonly stored: number | null; readonly known: number }> {
  const found = await schemaOf(connection).findOne({ _id: 'schema' });
  return { stored: found?.version ?? null, known: migrations.at(-1)?.version ?? 0 };
}

/**
 * Brings the data to the newest version that this program knows, one migration after the other, in one process at a time;
 * others wait for it. A new installation begins at the newest version. Answers the versions that it ran.
 *
 * @throws NewerDataError when the data are of a newer version; an Error when another process takes too long.
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
    await runHeld(connection, next, holder, clock);
    ran.push(next.version);
  }
}

/** Data that no version was noted of are of the first one; where there are none, nothing has to be migrated. */
async function begin(connection: Connection, migrations: readonly Migration[]): Promise<void> {
  const { stored, known } = await schemaVersion(connection, migrations);
  if (stored !== null) return;
  const anybody = await connection.collection('operators').findOne({}, { projection: { _id: 1 } });
  const first = { _id: 'schema', version: anybody === null ? known : 1 } as const;
  await insertUnlessTaken(() => schemaOf(connection).insertOne({ ...first }, DURABLE));
}

/** Runs a migration while its lock is renewed, and notes the version only if the lock was never lost. */
async function runHeld(
  connection: Connection,
  migration: Migration,
  holder: string,
  clock: () => number,
): Promise<void> {
  const schema = schemaOf(connection);
  const held = { _id: 'schema', holder } as const;
  const renew = (): void => {
    // A renewal that fails shows in the end: the lock is another's then.
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

function schemaOf({ db }: Connection) {
  if (db === undefined) throw new Error('the MongoDB connection is not open');
  return db.collection<SchemaDocument>('schema');
}
