import { type Html, html, NOTHING } from '../../html.ts';
import type { Resolver } from './addresses.ts';
import { type Inline, inlineHtml, inlineMarkdown, text } from './inline.ts';
import type { Part } from './parts.ts';

/** A column: `number` aligns it right, `roomy` leaves it out on phones and `wide` on tablets, too; `row` makes its cells the rows' headings. */
export interface Column {
  readonly label: string;
  readonly is?: readonly ('number' | 'wide' | 'roomy' | 'row')[];
}

export interface Cell {
  readonly says: Inline;
  /** Drawn after the text; not part of Markdown. */
  readonly drawing?: Html;
  /** A second line, under the text. */
  readonly under?: Inline;
}

export interface TableData {
  /** Describes the table; visible only to screen readers, unless `titled`. */
  readonly caption: string;
  readonly titled?: boolean;
  readonly className?: string;
  readonly columns: readonly Column[];
  readonly rows: readonly { readonly cells: readonly Cell[]; readonly current?: boolean }[];
}

export function cell(says: Inline | string | number, more: Omit<Cell, 'says'> = {}): Cell {
  return { says: typeof says === 'object' ? says : text(says), ...more };
}

/** A table that scrolls horizontally where it does not fit. */
export function table(data: TableData): Part {
  return { html: (to) => tableHtml(data, to), markdown: (to) => tableMarkdown(data, to) };
}

function tableHtml({ caption, titled = false, className = '', columns, rows }: TableData, to: Resolver): Html {
  const head = columns.map(({ label, is = [] }) => html`<th scope="col" class="${classesOf(is)}">${label}</th>`);
  const body = rows.map(
    ({ cells, current = false }) =>
      html`<tr${current ? html` class="current" aria-current="true"` : NOTHING}>${cells.map((one, index) => cellHtml(one, columns[index]?.is ?? [], to))}</tr>`,
  );
  return html`<div class="scroll" tabindex="0" role="region" aria-label="${caption}"><table class="${className}"><caption class="${titled ? 'titled' : 'said'}">${caption}</caption><thead><tr>${head}</tr></thead><tbody>${body}</tbody></table></div>`;
}

function cellHtml({ says, drawing, under }: Cell, is: NonNullable<Column['is']>, to: Resolver): Html {
  const inner = html`${inlineHtml(says, to)}${drawing}${under === undefined ? NOTHING : html`<span class="under">${inlineHtml(under, to)}</span>`}`;
  if (is.includes('row')) return html`<th scope="row" class="${classesOf(is)}">${inner}</th>`;
  return html`<td class="${classesOf(is)}">${inner}</td>`;
}

function classesOf(is: NonNullable<Column['is']>): string {
  return is.filter((one) => one !== 'row').join(' ');
}

function tableMarkdown({ caption, titled = false, columns, rows }: TableData, to: Resolver): string {
  const lines = [
    line(columns.map(({ label }) => inlineMarkdown(text(label), to))),
    line(columns.map(({ is = [] }) => (is.includes('number') ? '---:' : '---'))),
    ...rows.map(({ cells }) => line(cells.map((one) => cellMarkdown(one, to)))),
  ];
  return `${titled ? `**${inlineMarkdown(text(caption), to)}**\n\n` : ''}${lines.join('\n')}`;
}

function line(cells: readonly string[]): string {
  return `| ${cells.join(' | ')} |`;
}

function cellMarkdown({ says, under }: Cell, to: Resolver): string {
  const said = inlineMarkdown(says, to);
  return under === undefined ? said : `${said} (${inlineMarkdown(under, to)})`;
}
