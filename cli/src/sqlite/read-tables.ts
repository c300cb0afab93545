import { openDatabase, type SqliteDatabase } from './open-database.ts';

/** Rows per query: tables may be larger than memory. */
const PAGE_ROWS = 500;

/** Columns to read from a table. Names are interpolated into SQL: constants only, never input. */
export interface TableReading {
  readonly table: string;
  readonly columns: readonly string[];
  /** A row's values, in the order of the columns. */
  readonly visit: (row: readonly unknown[]) => void;
}

/** Reads tables of a SQLite file that another program may be writing to. Skips tables that are missing or lack a column. */
export async function readTables(path: string, readings: readonly TableReading[]): Promise<void> {
  await using opened = await openDatabase(path);
  for (const reading of readings) if (hasColumns(opened.database, reading)) readTable(opened.database, reading);
}

function hasColumns(database: SqliteDatabase, { table, columns }: TableReading): boolean {
  const known = new Set(database.all(`SELECT name FROM pragma_table_info('${table}')`, []).map((row) => row['name']));
  return columns.every((column) => known.has(column));
}

function readTable(database: SqliteDatabase, { table, columns, visit }: TableReading): void {
  const sql = `SELECT rowid AS row_number, ${columns.join(', ')} FROM ${table} WHERE rowid > ? ORDER BY rowid LIMIT ${PAGE_ROWS}`;
  let last = -1;
  for (;;) {
    const rows = database.all(sql, [last]);
    for (const row of rows) visit(columns.map((column) => row[column]));
    if (rows.length < PAGE_ROWS) return;
    last = Number(rows.at(-1)!['row_number']);
  }
}
