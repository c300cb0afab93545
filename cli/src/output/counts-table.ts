import { COUNT_FIELDS, type Counts } from '../../../engine/contract/signing/index.ts';
import { grouped } from './numbers.ts';
import type { Paint } from './screen.ts';

export interface CountsRow {
  readonly platform: string;
  readonly totals: Counts;
}

const TITLES: Readonly<Record<keyof Counts, string>> = {
  input: 'Input',
  output: 'Output',
  cache_read: 'Cache read',
  cache_write: 'Cache write',
};

const GAP = '  ';

/** The default heading, which is omitted when each platform is a block. */
const HEADING = 'Platform';

/**
 * The four counts by platform: one row each where the terminal is wide enough, else one block each.
 * `columns` null: unlimited width.
 */
export function countsTable(
  rows: readonly CountsRow[],
  columns: number | null,
  paint: Paint,
  heading = HEADING,
): string {
  const header = [heading, ...COUNT_FIELDS.map((field) => TITLES[field])];
  const cells = rows.map((row) => [row.platform, ...COUNT_FIELDS.map((field) => grouped(row.totals[field]))]);
  const widths = header.map((title, column) => Math.max(title.length, ...cells.map((row) => row[column]!.length)));
  const width = widths.reduce((sum, each) => sum + each, 0) + GAP.length * (widths.length - 1);
  if (columns !== null && width > columns) {
    const blocks = rows.map((row) => block(row, paint));
    return [...(heading === HEADING ? [] : [`${heading}:`]), ...blocks].join('\n');
  }
  const line = (row: readonly string[]): string =>
    row.map((cell, column) => (column === 0 ? cell.padEnd(widths[0]!) : cell.padStart(widths[column]!))).join(GAP);
  return [paint.bold(line(header)), ...cells.map(line)].join('\n');
}

function block(row: CountsRow, paint: Paint): string {
  const titleWidth = Math.max(...COUNT_FIELDS.map((field) => TITLES[field].length));
  const countWidth = Math.max(...COUNT_FIELDS.map((field) => grouped(row.totals[field]).length));
  const lines = COUNT_FIELDS.map(
    (field) => `${GAP}${TITLES[field].padEnd(titleWidth)}${GAP}${grouped(row.totals[field]).padStart(countWidth)}`,
  );
  return [paint.bold(row.platform), ...lines].join('\n');
}
