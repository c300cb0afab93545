import { copyDatabase, openSqlite, openTemporary } from '../files/sqlite.ts';
import { isObject, type JsonObject } from '../json.ts';
import { UnreadLogError } from './source.ts';

/** Usual rows per query: tables may be larger than memory. */
const PAGE_ROWS = 500;

/** The part of a SQLite library that is used. Query parameters are integers. */
interface Database extends AsyncDisposable {
  all(sql: string, values: readonly number[]): readonly JsonObject[];
}

/** Columns to read from a table. Names are interpolated into SQL: constants only, never input. */
interface TableReading {
  readonly table: string;
  readonly columns: readonly string[];
  /** A column that follows these; its values are undefined where the table has none. */
  readonly optional?: string;
  /** Rows per query, where they are long. */
  readonly pageRows?: number;
  /** A row's values, in the order of the columns. */
  readonly visit: (row: readonly unknown[]) => void;
}

/** Reads tables of a SQLite file that another program may be writing to. Skips tables that are missing or lack a column; throws where all of them are. */
export async function readTables(path: string, readings: readonly TableReading[]): Promise<void> {
  await using database = await openDatabase(path);
  let isKnown = database.all('SELECT 1 FROM sqlite_master LIMIT 1', []).length === 0;
  for (const reading of readings) {
    const known = columnsOf(database, reading.table);
    if (!reading.columns.every((column) => known.has(column))) continue;
    isKnown = true;
    readTable(database, reading, [...reading.columns, ...[reading.optional ?? ''].filter((each) => known.has(each))]);
  }
  if (!isKnown) throw new UnreadLogError('NEWER_FORMAT');
}

function columnsOf(database: Database, table: string): ReadonlySet<unknown> {
  return new Set(database.all(`SELECT name FROM pragma_table_info('${table}')`, []).map((row) => row['name']));
}

function readTable(
  database: Database,
  { table, visit, pageRows = PAGE_ROWS }: TableReading,
  columns: readonly string[],
): void {
  const sql = `SELECT rowid AS row_number, ${columns.join(', ')} FROM ${table} WHERE rowid > ? ORDER BY rowid LIMIT ${pageRows}`;
  let last = -1;
  for (;;) {
    const rows = database.all(sql, [last]);
    for (const row of rows) visit(columns.map((column) => row[column]));
    if (rows.length < pageRows) return;
    last = Number(rows.at(-1)!['row_number']);
  }
}

/**
 * Opens a SQLite file read-only. Node includes SQLite from 22.5 on; before that, SQLite compiled to WebAssembly reads a copy,
 * because it cannot share a write-ahead log with another program.
 */
async function openDatabase(path: string): Promise<Database> {
  return openBuiltIn(path) ?? (await openCopy(path));
}

/** The part of `node:sqlite` that is used: the types of the oldest supported Node do not have it. */
interface BuiltInSqlite {
  readonly DatabaseSync: new (
    path: string,
    options: { readonly readOnly: boolean },
  ) => {
    prepare(sql: string): { all(...values: readonly number[]): JsonObject[] };
    close(): void;
  };
}

function openBuiltIn(path: string): Database | null {
  const sqlite = loadBuiltIn();
  if (sqlite === undefined) return null;
  const database = new sqlite.DatabaseSync(path, { readOnly: true });
  return {
    all: (sql, values) => database.prepare(sql).all(...values),
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

async function openCopy(path: string): Promise<Database> {
  const copy = await openTemporary();
  try {
    await copyDatabase(path, copy.path);
    const database = await openSqlite(copy.path);
    return {
      all: (sql, values) => database.all(sql, [...values]),
      [Symbol.asyncDispose]: async () => {
        database.close();
        await copy[Symbol.asyncDispose]();
      },
    };
  } catch (error) {
    await copy[Symbol.asyncDispose]();
    throw error;
  }
}
