import { COUNT_FIELDS, type Counts } from '../../../engine/contract/signing/index.ts';
import { type Column, columnsOf, fittingTable } from './fitting-table.ts';
import { compactCount, grouped, type Paint } from './screen.ts';

export const COUNT_TITLES: Readonly<Record<keyof Counts, string>> = {
  input: 'Input',
  output: 'Output',
  cache_read: 'Cache read',
  cache_write: 'Cache write',
};

/** A column of each count, shortened where the terminal is too narrow for all. */
export function countColumns(rows: readonly Counts[]): readonly Column[] {
  const column = columnsOf(rows, { align: 'right' });
  return COUNT_FIELDS.map((field) => {
    const title = COUNT_TITLES[field].replace('Cache r', 'R').replace('Cache w', 'W');
    const compact = { title, cells: rows.map((counts) => compactCount(counts[field])) };
    return column(COUNT_TITLES[field], (counts) => grouped(counts[field]), { compact });
  });
}

/** A row for each platform. `columns` null: unlimited width. */
export function countsTable(
  rows: ReadonlyArray<{ readonly platform: string; readonly totals: Counts }>,
  columns: number | null,
  paint: Paint,
  heading = 'Platform',
): string {
  const platform = columnsOf(rows)(heading, (row) => row.platform);
  return fittingTable([platform, ...countColumns(rows.map(({ totals }) => totals))], columns, paint);
}
