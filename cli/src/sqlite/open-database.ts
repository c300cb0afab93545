import { copyFile, mkdtemp, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { reasonOf } from '../cli-error.ts';
import { isObject } from '../json.ts';

/** The part of a SQLite library that is used. Query parameters are integers. */
export interface SqliteDatabase {
  all(sql: string, values: readonly number[]): ReadonlyArray<Readonly<Record<string, unknown>>>;
}

interface OpenedDatabase extends AsyncDisposable {
  readonly database: SqliteDatabase;
}

/** Attempts to copy a database that is being written to. */
const MAX_COPIES = 3;

/**
 * Opens a SQLite file read-only. Node includes SQLite from 22.5 on; before that, SQLite compiled to WebAssembly reads a copy,
 * because it cannot share a write-ahead log with another program.
 */
export async function openDatabase(path: string): Promise<OpenedDatabase> {
  return openBuiltIn(path) ?? (await openCopy(path));
}

/** The part of `node:sqlite` that is used: the types of the oldest supported Node do not have it. */
interface BuiltInSqlite {
  readonly DatabaseSync: new (
    path: string,
    options: { readonly readOnly: boolean },
  ) => {
    prepare(sql: string): { all(...values: readonly number[]): Array<Record<string, unknown>> };
    close(): void;
  };
}

function openBuiltIn(path: string): OpenedDatabase | null {
  const sqlite = loadBuiltIn();
  if (sqlite === undefined) return null;
  const database = new sqlite.DatabaseSync(path, { readOnly: true });
  return {
    database: { all: (sql, values) => database.prepare(sql).all(...values) },
    [Symbol.asyncDispose]: async () => database.close(),
  };
}

/** Suppresses the warning that `node:sqlite` is experimental, which means nothing to a user of this tool. */
function loadBuiltIn(): BuiltInSqlite | undefined {
  const warn = process.emitWarning.bind(process);
  process.emitWarning = () => undefined;
  try {
    const found: unknown = process.getBuiltinModule('node:sqlite');
    return isBuiltIn(found) ? found : undefined;
  } finally {
    process.emitWarning = warn;
  }
}

function isBuiltIn(module: unknown): module is BuiltInSqlite {
  return isObject(module) && typeof module['DatabaseSync'] === 'function';
}

async function openCopy(path: string): Promise<OpenedDatabase> {
  const folder = await mkdtemp(join(tmpdir(), 'upsilon-'));
  const close = (): Promise<void> => rm(folder, { recursive: true, force: true });
  try {
    const copy = join(folder, 'copy.db');
    await copyConsistently(path, copy);
    const { Database } = (await import('node-sqlite3-wasm')).default;
    const database = new Database(copy);
    // The only way to read a write-ahead log without memory shared between processes.
    database.exec('PRAGMA locking_mode = EXCLUSIVE');
    return {
      database: { all: (sql, values) => database.all(sql, [...values]) },
      [Symbol.asyncDispose]: async () => {
        database.close();
        await close();
      },
    };
  } catch (error) {
    await close();
    throw error;
  }
}

/** Copies the file and its write-ahead log. Repeats when they changed in the meantime, because the copies may not match. */
async function copyConsistently(path: string, copy: string): Promise<void> {
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
