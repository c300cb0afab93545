import { existsSync } from 'node:fs';
import { readdir, rename, rm } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { CliError, reasonOf, reasonText } from '../cli-error.ts';
import { type IsHeld, withLock } from '../files/lock.ts';
import { requireOwned } from '../files/ownership.ts';
import { copyDatabase, openSqlite, openTemporary } from '../files/sqlite.ts';
import { createSchema, DamagedStoreError, requireSchema } from './schema.ts';
import { UsageStore } from './usage-store.ts';

/** How long a command that only shows counts waits for another run, in milliseconds. */
const MAX_VIEW_WAIT_MS = 2_000;

/** Messages of SQLite about a file whose content is not what it wrote. */
const DAMAGE = /not a database|malformed|no such (table|column)|constraint failed|cannot hold BLOB/;

/** How a store is opened. */
export interface StoreUse {
  /** The epoch of a new store. */
  readonly epoch: number;
  /** Whether changes are kept: always, never, or where the settings folder can be written and no other run writes. */
  readonly keep: boolean | 'where writable';
  /** Throws a `files` error where the store is damaged, or the copy moved aside is still there: a new epoch drops former totals. */
  readonly isWhole?: boolean;
  /** Whether all changes are kept or none. */
  readonly isAtomic?: boolean;
  /** Receives sentences for the user. */
  readonly warn: (text: string) => void;
}

/** The path of the store's file. */
export function storePath(configDir: string): string {
  return join(configDir, 'usage.db');
}

/** The lock under which the store is read and written. */
export function storeLockPath(configDir: string): string {
  return join(configDir, 'usage.lock');
}

/**
 * Opens the store for an action, and commits what it changed. Runs wait for each other. Where changes are not kept, the action has a
 * temporary copy. A damaged store is moved aside, and the action repeated on an empty one: everything is counted again from the
 * remaining logs.
 */
export async function withStore<T>(configDir: string, use: StoreUse, action: Action<T>): Promise<T> {
  const path = storePath(configDir);
  if (use.keep === false) return await onCopy(path, use, action, null);
  const inPlace = async (isHeld: IsHeld): Promise<T> => {
    // The process that left these has ended: it held the lock.
    for (const leftover of ['.lock', '.new', '.new.lock', '.new-wal', '.new-journal'])
      await rm(path + leftover, { recursive: true, force: true });
    return await onFile({ path, shown: path, isHeld }, use, action);
  };
  if (use.keep === true) return await withLock(storeLockPath(configDir), inPlace);
  try {
    return await withLock(storeLockPath(configDir), inPlace, MAX_VIEW_WAIT_MS);
  } catch (error) {
    if (!(error instanceof CliError) || !['file_unwritable', 'locked'].includes(error.code)) throw error;
    return await onCopy(path, use, action, error.message);
  }
}

/** Throws a `files` error where the store is damaged or was, as with `isWhole`. */
export function requireWholeStore(configDir: string): Promise<void> {
  const use = { epoch: 0, keep: false, isWhole: true, warn: () => undefined };
  return withStore(configDir, use, async () => undefined);
}

type Action<T> = (store: UsageStore) => Promise<T>;

interface StoreFile {
  readonly path: string;
  /** The path of which it is a copy, or its own. */
  readonly shown: string;
  readonly isHeld: IsHeld;
}

/** Runs an action on a copy. `why` changes are not kept is a warning; null where they are not meant to be. */
async function onCopy<T>(path: string, use: StoreUse, action: Action<T>, why: string | null): Promise<T> {
  await using copy = await openTemporary();
  await requireTrusted(path);
  if (existsSync(path)) {
    await copyDatabase(path, copy.path).catch((error: unknown) => {
      throw unusableError(path, reasonText(reasonOf(error)));
    });
  }
  const file = { path: copy.path, shown: path, isHeld: () => true };
  return await onFile(file, { ...use, isAtomic: true }, async (store) => {
    const result = await action(store);
    if (why !== null && store.isChanged)
      use.warn(`The counts are not kept, and the next run reads these logs again: ${why}.`);
    return result;
  });
}

async function onFile<T>(file: StoreFile, use: StoreUse, action: Action<T>): Promise<T> {
  const { path, shown } = file;
  const [damagedCopy] = use.isWhole === true ? await damagedCopies(shown) : [];
  if (damagedCopy !== undefined) {
    const hint =
      'Restore usage.db from a backup if there is one. Then, or to accept the loss, delete the damaged copy.';
    throw damagedError(damagedCopy, hint);
  }
  await requireTrusted(path);
  try {
    try {
      return await run(file, use, action);
    } catch (error) {
      if (!isDamage(error)) throw error;
      if (use.isWhole === true) {
        const hint =
          'Restore it from a backup, or accept the loss and count only what the remaining logs have: upsilon recount --logs-only';
        throw damagedError(shown, hint);
      }
      await moveStore(path, freePath(`${path}.damaged`));
      use.warn(
        `${shown} was damaged, so everything was counted again from the remaining logs. Usage whose logs were deleted is missing. ` +
          'No new epoch begins before you restore the file or accept the loss: upsilon recount shows how.',
      );
      return await run(file, use, action);
    }
  } catch (error) {
    throw error instanceof Error && error.name === 'SQLite3Error' ? unusableError(shown, error.message) : error;
  }
}

async function run<T>({ path, shown, isHeld }: StoreFile, use: StoreUse, action: Action<T>): Promise<T> {
  if (!existsSync(path)) await create(path, use.epoch);
  const database = await openSqlite(path);
  const store = new UsageStore(database, isHeld, use.isAtomic === true);
  try {
    requireSchema(database, shown);
    store.load();
    if (use.isWhole === true) store.check();
    const result = await action(store);
    store.commit();
    return result;
  } finally {
    store.close();
  }
}

/** Makes a store, which has its name only once it is complete. */
async function create(path: string, epoch: number): Promise<void> {
  await rm(`${path}-wal`, { force: true });
  const database = await openSqlite(`${path}.new`);
  try {
    createSchema(database, epoch);
  } finally {
    database.close();
  }
  await rename(`${path}.new`, path);
}

function isDamage(error: unknown): boolean {
  if (error instanceof DamagedStoreError) return true;
  return error instanceof Error && error.name === 'SQLite3Error' && DAMAGE.test(error.message);
}

function damagedError(path: string, hint: string): CliError {
  const message = `${path} is damaged: usage whose logs were deleted may be only in it, and would be lost at the service too`;
  return new CliError('files', 'file_damaged', message, hint);
}

function unusableError(path: string, reason: string): CliError {
  const hint = 'Free space or grant access, or use another folder with --config-dir.';
  return new CliError('files', 'file_unwritable', `${path} cannot be read or written: ${reason}`, hint);
}

async function requireTrusted(path: string): Promise<void> {
  try {
    await requireOwned(dirname(path), 'folder');
    await requireOwned(path, 'state');
  } catch (error) {
    if (reasonOf(error) !== 'ENOENT') throw error;
  }
}

/** Renames the damaged copies once the loss is accepted. One that cannot be renamed stays, and goes on to be reported. */
export async function dropDamagedCopies(configDir: string): Promise<void> {
  const path = storePath(configDir);
  for (const copy of await damagedCopies(path))
    await moveStore(copy, freePath(`${path}.dropped`)).catch(() => undefined);
}

/** The damaged stores that were moved aside. */
async function damagedCopies(path: string): Promise<readonly string[]> {
  const names = await readdir(dirname(path)).catch(() => []);
  const copies = names.filter((name) => name.startsWith(`${basename(path)}.damaged`) && !name.endsWith('-wal'));
  return copies.sort().map((name) => join(dirname(path), name));
}

/** Renames a store with its write-ahead log. */
async function moveStore(from: string, to: string): Promise<void> {
  if (existsSync(`${from}-wal`)) await rename(`${from}-wal`, `${to}-wal`);
  await rename(from, to);
}

/** This path, or with a number the first one that is free. */
function freePath(path: string): string {
  let free = path;
  for (let number = 2; existsSync(free); number += 1) free = `${path}-${number}`;
  return free;
}
