import { copyFile, mkdtemp, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { reasonOf } from '../cli-error.ts';
import { isObject } from '../json.ts';

/** What is used of a SQLite library. Values are whole numbers: the only ones that are asked with. */
export interface SqliteDatabase {
  all(sql: string, values: readonly number[]): ReadonlyArray<Readonly<Record<string, unknown>>>;
}

interface OpenedDatabase extends AsyncDisposable {
  readonly database: SqliteDatabase;
}

/** How often a database is copied when it was written to meanwhile. */
const MAX_COPIES = 3;

/**
 * Opens a SQLite file for reading only. Node has SQLite within from 22.5 on; before that it is SQLite compiled to WebAssembly,
 * which cannot share a write-ahead log with another program and therefore gets a copy of its own.
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

/** Loading it warns that it is experimental, in the versions where it is; that is no news to a user of this tool. */
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
    await copyWhole(path, copy);
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

/** Copies the file and its log; again when they changed meanwhile, as the copy may then be of two moments. */
async function copyWhole(path: string, copy: string): Promise<void> {
  for (let round = 1; ; round += 1) {
    const before = await momentOf(path);
    await copyFile(path, copy);
    await rm(`${copy}-wal`, { force: true });
    await copyFile(`${path}-wal`, `${copy}-wal`).catch((error: unknown) => {
      if (reasonOf(error) !== 'ENOENT') throw error;
    });
    if ((await momentOf(path)) === before) return;
    if (round === MAX_COPIES) throw new Error('it is being written to all the time');
  }
}

async function momentOf(path: string): Promise<string> {
  const parts = await Promise.all(
    [path, `${path}-wal`].map(async (part) => {
      const found = await stat(part).catch(() => null);
      return found === null ? '-' : `${found.size}:${found.mtimeMs}`;
    }),
  );
  return parts.join('|');
}
