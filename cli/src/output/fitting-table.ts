import { printable } from '../net/problem.ts';
import type { Paint } from './screen.ts';
import { cutText, padText, textWidth } from './text-width.ts';

/** A column of a table, and what may be done to it where the terminal is too narrow for all. */
export interface Column {
  readonly title: string;
  readonly align?: 'right';
  /** Whether its cells stand out where there are colours. */
  readonly accent?: true;
  /** A shorter form of its cells and its title. */
  readonly compact?: { readonly title: string; readonly cells: readonly string[] };
  /** It may be cut to this many columns. `keep`: the part of a cell that stays. */
  readonly cut?: { readonly atLeast: number; readonly keep: 'start' | 'end' };
  /** It may be left out: those with lower numbers first. */
  readonly drop?: number;
  readonly cells: readonly string[];
}

/** Makes the columns of a table by what they have of each row. */
export function columnsOf<Row>(rows: readonly Row[], align: Pick<Column, 'align'> = {}) {
  return (title: string, of: (row: Row) => string, more: Omit<Partial<Column>, 'title' | 'cells'> = {}): Column => ({
    title,
    cells: rows.map(of),
    ...align,
    ...more,
  });
}

const GAP = '  ';

/** The least width of a column that was cut. */
const MIN_CUT_COLUMNS = 8;

/**
 * A table that is at most `width` columns wide: with cut columns where that is enough, else with compact ones, else without the
 * columns that may be dropped. `width` null: unlimited. `lastBold`: the last row is a sum.
 */
export function fittingTable(columns: readonly Column[], width: number | null, paint: Paint, lastBold = false): string {
  // Names come from logs.
  const safe = columns.map((column) => ({ ...column, cells: column.cells.map(printable) }));
  const fitted = fit(safe, width ?? Number.POSITIVE_INFINITY);
  const widths = fitted.map(naturalWidth);
  const line = (cells: readonly string[], accent = (text: string) => text): string =>
    cells
      .map((cell, index) => {
        const text = padText(cell, widths[index]!, fitted[index]!.align ?? 'left');
        return fitted[index]!.accent === true ? accent(text) : text;
      })
      .join(GAP)
      .trimEnd();
  const rows = Array.from({ length: columns[0]?.cells.length ?? 0 }, (_, row) =>
    line(
      fitted.map(({ cells }) => cells[row]!),
      paint.good,
    ),
  );
  const body = rows.map((row, index) => (lastBold && index === rows.length - 1 ? paint.bold(row) : row));
  return [paint.bold(line(fitted.map(({ title }) => title))), ...body].join('\n');
}

function fit(columns: readonly Column[], width: number): readonly Column[] {
  const cut = cutToFit(columns, width);
  if (cut !== null) return cut;
  let left = columns.map((column) => (column.compact === undefined ? column : { ...column, ...column.compact }));
  for (;;) {
    const fitted = cutToFit(left, width);
    const droppable = left.flatMap(({ drop }) => drop ?? []);
    if (fitted !== null) return fitted;
    if (droppable.length === 0) return cutToFit(left.map(cutShort), width) ?? left.map(cutShort);
    const next = Math.min(...droppable);
    left = left.filter(({ drop }) => drop !== next);
  }
}

/** A column that may be cut to a few characters: when nothing else is left. */
function cutShort(column: Column): Column {
  return column.cut === undefined ? column : { ...column, cut: { ...column.cut, atLeast: MIN_CUT_COLUMNS } };
}

/** The columns, with those cut that may be; null where that is not enough. The widest gives way first. */
function cutToFit(columns: readonly Column[], width: number): readonly Column[] | null {
  const widths = columns.map(naturalWidth);
  let excess = widths.reduce((sum, each) => sum + GAP.length + each, -GAP.length) - width;
  while (excess > 0) {
    const room = columns.map(({ cut }, index) => (cut === undefined ? 0 : widths[index]! - cut.atLeast));
    const widest = room.indexOf(Math.max(...room));
    if (room[widest]! <= 0) return null;
    widths[widest]! -= 1;
    excess -= 1;
  }
  return columns.map((column, index) => cutColumn(column, widths[index]!));
}

function cutColumn(column: Column, width: number): Column {
  const { cut, title, cells } = column;
  if (cut === undefined) return column;
  return { ...column, title: title.slice(0, width), cells: cells.map((cell) => cutText(cell, width, cut.keep)) };
}

function naturalWidth({ title, cells }: Column): number {
  return cells.reduce((most, cell) => Math.max(most, textWidth(cell)), title.length);
}
