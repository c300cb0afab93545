import { copyFile, mkdtemp, readdir, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setFlagsFromString } from 'node:v8';
import type { Database } from 'node-sqlite3-wasm';
import { reasonOf } from '../cli-error.ts';
import { isDead } from './lock.ts';

/** Attempts to copy a database that is being written to. */
const MAX_COPIES = 3;

/** The folder of a copy, by the process that reads it. */
const COPY_FOLDER = /^upsilon-copy-(\d+)-/;

/**
 * Opens a SQLite file with SQLite compiled to WebAssembly, loaded on demand. Only for files that no other process has open: it has
 * neither memory shared between processes nor locks of the system. Write-ahead logs only: it never rolls a journal back, because it
 * takes its own lock for one of another process.
 */
export async function openSqlite(path: string): Promise<Database> {
  // Optimized code would make a short run longer: compiling it takes more than the run, and the process waits for that in the end.
  setFlagsFromString('--liftoff-only');
  const driver = (await import('node-sqlite3-wasm')).default;
  const database = new driver.Database(path);
  // The only way to use a write-ahead log without shared memory.
  database.exec('PRAGMA locking_mode = EXCLUSIVE');
  return database;
}

/** A path for a database in a temporary folder, which is removed in the end. */
export async function openTemporary(): Promise<AsyncDisposable & { readonly path: string }> {
  await removeLeftovers();
  const folder = await mkdtemp(join(tmpdir(), `upsilon-copy-${process.pid}-`));
  return {
    path: join(folder, 'copy.db'),
    [Symbol.asyncDispose]: () => rm(folder, { recursive: true, force: true }),
  };
}

/** Copies a database that may be written to, with its write-ahead log; again when they changed meanwhile and may not match. */
export async function copyDatabase(path: string, copy: string): Promise<void> {
  for (let round = 1; ; round += 1) {
    const before = await fingerprintOf(path);
    await copyFile(path, copy);
    await rm(`${copy}-wal`, { force: true });
    await copyFile(`${path}-wal`, `${copy}-wal`).catch((error: unknown) => {
      if (reasonOf(error) !== 'ENOENT') throw error;
    });
    if ((await fingerprintOf(path)) === before) return;
    if (round === MAX_COPIES) throw new Error('it changed during each attempt to copy it');
  }
}

async function fingerprintOf(path: string): Promise<string> {
  const parts = await Promise.all(
    [path, `${path}-wal`].map(async (part) => {
      const found = await stat(part).catch(() => null);
      return found === null ? '-' : `${found.size}:${found.mtimeMs}`;
    }),
  );
  return parts.join('|');
}

/** Removes copies of runs that were killed while they read them: a database contains prompts. */
async function removeLeftovers(): Promise<void> {
  // A folder that cannot be listed can still take a copy.
  for (const name of await readdir(tmpdir()).catch(() => [])) {
    const [, pid] = COPY_FOLDER.exec(name) ?? [];
    // One of another user stays.
    if (pid !== undefined && isDead(Number(pid)))
      await rm(join(tmpdir(), name), { recursive: true, force: true }).catch(() => undefined);
  }
}
