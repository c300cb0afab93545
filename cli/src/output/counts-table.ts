import { COUNT_FIELDS, type Counts } from '../../../engine/contract/signing/index.ts';
import { columnsOf, fittingTable } from './fitting-table.ts';
import { grouped, type Paint } from './screen.ts';
import { textWidth } from './text-width.ts';

export const COUNT_TITLES: Readonly<Record<keyof Counts, string>> = {
  input: 'Input',
  output: 'Output',
  cache_read: 'Cache read',
  cache_write: 'Cache write',
};

const GAP = '  ';

/** The default heading, which is omitted when each platform is a block. */
const HEADING = 'Platform';

/** A row for each platform where the terminal is wide enough, else a block. `columns` null: unlimited width. */
export function countsTable(
  rows: ReadonlyArray<{ readonly platform: string; readonly totals: Counts }>,
  columns: number | null,
  paint: Paint,
  heading = HEADING,
): string {
  const column = columnsOf(rows);
  const counts = COUNT_FIELDS.map((field) =>
    column(COUNT_TITLES[field], ({ totals }) => grouped(totals[field]), { align: 'right' }),
  );
  const table = fittingTable([column(heading, ({ platform }) => platform), ...counts], null, paint);
  const width = rows.length === 0 ? 0 : textWidth(table.split('\n').at(-1)!);
  if (columns === null || width <= columns) return table;
  const titleWidth = Math.max(...counts.map(({ title }) => title.length));
  const blocks = rows.map(({ platform }, row) => {
    const countWidth = Math.max(...counts.map(({ cells }) => cells[row]!.length));
    const lines = counts.map(({ title, cells }) => {
      return `${GAP}${title.padEnd(titleWidth)}${GAP}${cells[row]!.padStart(countWidth)}`;
    });
    return [paint.bold(platform), ...lines].join('\n');
  });
  return [...(heading === HEADING ? [] : [`${heading}:`]), ...blocks].join('\n');
}
