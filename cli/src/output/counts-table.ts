import { COUNT_FIELDS, type Counts } from '../../../engine/contract/signing/index.ts';
import { grouped, type Paint } from './screen.ts';

const TITLES: Readonly<Record<keyof Counts, string>> = {
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
  const titles = COUNT_FIELDS.map((field) => TITLES[field]);
  const cells = rows.map(({ totals }) => COUNT_FIELDS.map((field) => grouped(totals[field])));
  const firstWidth = Math.max(heading.length, ...rows.map(({ platform }) => platform.length));
  const widths = titles.map((title, column) => Math.max(title.length, ...cells.map((row) => row[column]!.length)));
  const width = widths.reduce((sum, each) => sum + GAP.length + each, firstWidth);
  if (columns !== null && width > columns) {
    const titleWidth = Math.max(...titles.map((title) => title.length));
    const blocks = rows.map(({ platform }, row) => {
      const countWidth = Math.max(...cells[row]!.map((cell) => cell.length));
      const lines = titles.map((title, column) => {
        return `${GAP}${title.padEnd(titleWidth)}${GAP}${cells[row]![column]!.padStart(countWidth)}`;
      });
      return [paint.bold(platform), ...lines].join('\n');
    });
    return [...(heading === HEADING ? [] : [`${heading}:`]), ...blocks].join('\n');
  }
  const line = (first: string, rest: readonly string[]): string =>
    [first.padEnd(firstWidth), ...rest.map((cell, column) => cell.padStart(widths[column]!))].join(GAP);
  const lines = rows.map(({ platform }, row) => line(platform, cells[row]!));
  return [paint.bold(line(heading, titles)), ...lines].join('\n');
}
