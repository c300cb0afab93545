import type * as z from 'zod';
import { ExportEntry, ExportHead, type Window } from '../../../engine/contract/index.ts';
import type { BoardView } from '../../../engine/ranking/index.ts';
import { boardHead, scanRows } from './read-board.ts';

/** Where a text, or what follows a separator of some spreadsheet in it, would be evaluated as a formula. */
const FORMULA = /^(?=[\t\r])|(^|[;,\t\r\n])(?=\s*[=+\-@])/g;

type Entry = z.output<typeof ExportEntry>;

const COLUMNS = [
  'rank',
  'codename',
  'display_name',
  'percentile',
  'platform',
  'class_tier',
  'yield_',
  'leverage',
  'velocity',
] as const satisfies readonly (keyof Entry)[];

/** Streams a whole board as JSON. Every entry is validated by its schema. */
export async function* exportAsJson(board: BoardView, window: Window): AsyncIterable<string> {
  const total_operators = board.view.totals[window];
  const head = ExportHead.parse({ type: 'board_export', ...boardHead(board), window, total_operators });
  yield `${JSON.stringify(head).slice(0, -1)},"entries":[`;
  let separator = '';
  for await (const rows of scanRows(board, window)) {
    if (rows.length === 0) continue;
    yield separator + rows.map((row) => JSON.stringify(ExportEntry.parse(row))).join(',\n');
    separator = ',\n';
  }
  yield ']}';
}

/** Streams a whole board as CSV (RFC 4180) with a header line. */
export async function* exportAsCsv(board: BoardView, window: Window): AsyncIterable<string> {
  yield csvLine(COLUMNS);
  for await (const rows of scanRows(board, window)) {
    yield rows.map((row) => csvLine(fieldsOf(ExportEntry.parse(row)))).join('');
  }
}

function fieldsOf(entry: Entry): (string | number | null)[] {
  return COLUMNS.map((column) => entry[column] ?? null);
}

/**
 * A line of CSV (RFC 4180). Texts are quoted when necessary; null is empty. A text that a spreadsheet would evaluate as a formula
 * gets a leading apostrophe, which marks it as text.
 */
export function csvLine(fields: readonly (string | number | null)[]): string {
  return `${fields.map(csvField).join(',')}\r\n`;
}

function csvField(field: string | number | null): string {
  if (field === null) return '';
  if (typeof field === 'number') return String(field);
  const text = field.replace(FORMULA, "$1'");
  return /[",;\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}
