import { type Html, html, NOTHING, wholeWords } from '../../html.ts';
import type { Ref, Resolver } from './addresses.ts';
import { escapeMarkdown, type Inline, inline } from './inline.ts';

/** A block of a page. Its Markdown has no line break at its end, and is empty when the block has no text. */
export type Part = Inline;

/** A heading of a section; `id` is its anchor. */
export function heading(level: 2 | 3, label: string, id = slugOf(label)): Part {
  return {
    html: () => (level === 2 ? html`<h2 id="${id}">${label}</h2>` : html`<h3 id="${id}">${label}</h3>`),
    markdown: () => `${'#'.repeat(level)} ${escapeMarkdown(label)}`,
  };
}

export function prose(...paragraphs: readonly Inline[]): Part {
  return { ...blocks(paragraphs), html: (to) => html`${paragraphs.map((runs) => html`<p>${runs.html(to)}</p>`)}` };
}

/** The sentence under a page's title. */
export function lede(runs: Inline): Part {
  return { ...runs, html: (to) => html`<p class="lede">${runs.html(to)}</p>` };
}

export function bullets(...items: readonly Inline[]): Part {
  return {
    html: (to) => html`<ul>${items.map((runs) => html`<li>${runs.html(to)}</li>`)}</ul>`,
    markdown: (to) => items.map((runs) => `- ${runs.markdown(to)}`).join('\n'),
  };
}

/** Numbered steps, each with parts under it. */
export function steps(...items: readonly (readonly [Inline, ...Part[]])[]): Part {
  return {
    html: (to) =>
      html`<ol class="steps">${items.map(([runs, ...parts]) => html`<li><p>${runs.html(to)}</p>${inline(parts).html(to)}</li>`)}</ol>`,
    markdown: (to) =>
      items
        .map((parts, index) => {
          const body = blocks(parts).markdown(to);
          return `${index + 1}. ${body.replaceAll('\n', '\n   ').replaceAll(/^ +$/gm, '')}`;
        })
        .join('\n\n'),
  };
}

/** Lines to be typed exactly as they are, with a button of the script that copies them. `label` is for screen readers. */
export function codeBlock(language: string, lines: string, label: string): Part {
  const fence = lines.includes('```') ? '````' : '```';
  return {
    html: () =>
      html`<div class="block ${language}"><pre tabindex="0" role="region" aria-label="${label}"><code>${wholeWords(lines)}</code></pre></div>`,
    markdown: () => `${fence}${language}\n${lines}\n${fence}`,
  };
}

/** A list of terms with their values. */
export function facts(rows: readonly (readonly [term: string, is: Inline])[], className = 'facts'): Part {
  return {
    html: (to) =>
      html`<dl class="${className}">${rows.map(([term, is]) => html`<div><dt>${term}</dt><dd>${is.html(to)}</dd></div>`)}</dl>`,
    markdown: (to) => rows.map(([term, is]) => `- **${escapeMarkdown(term)}**: ${is.markdown(to)}`).join('\n'),
  };
}

/** Links with one line of description each. */
export function cards(items: readonly (readonly [label: string, href: Ref, about: string])[]): Part {
  return {
    html: (to) =>
      html`<ul class="cards">${items.map(([label, href, about]) => html`<li><a href="${to.near(href)}">${label}</a><p>${about}</p></li>`)}</ul>`,
    markdown: (to) =>
      items
        .map(([label, href, about]) => `- [${escapeMarkdown(label)}](${to.far(href)}): ${escapeMarkdown(about)}`)
        .join('\n'),
  };
}

/** Parts in a `section` element; in Markdown, one after the other. */
export function section(className: string, ...parts: readonly Part[]): Part {
  const { html: inner, markdown } = blocks(parts);
  return { html: (to) => html`<section class="${className}">${inner(to)}</section>`, markdown };
}

/** Parts in a `details` element; in Markdown, always visible. */
export function folded(label: string, ...parts: readonly Part[]): Part {
  const { html: inner, markdown } = blocks(parts);
  return { html: (to) => html`<details><summary>${label}</summary>${inner(to)}</details>`, markdown };
}

/** Content of HTML only, such as a form; it must not contain information that Markdown readers lack. */
export function shownOnly(show: (to: Resolver) => Html): Part {
  return { html: show, markdown: () => '' };
}

/** Content of Markdown only, such as the address behind a form. */
export function writtenOnly(...paragraphs: readonly Inline[]): Part {
  return { ...prose(...paragraphs), html: () => NOTHING };
}

export function blocks(parts: readonly Part[]): Part {
  return {
    ...inline(parts),
    markdown: (to) =>
      parts
        .map((part) => part.markdown(to))
        .filter((block) => block !== '')
        .join('\n\n'),
  };
}

function slugOf(label: string): string {
  return label
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, '-')
    .replaceAll(/^-|-$/g, '');
}

/** A column: `number` aligns it right, `wide` leaves it out on phones and tablets; `row` makes its cells the rows' headings. */
interface Column {
  readonly label: string;
  readonly is?: readonly ('number' | 'wide' | 'row')[];
}

/** `drawing` is shown after the text and is not part of Markdown; `under` is a second line. */
export type Cell = string | number | (Inline & { readonly drawing?: Html; readonly under?: Inline });

export interface TableData {
  /** Describes the table to screen readers; not visible. */
  readonly caption: string;
  readonly className?: string;
  readonly columns: readonly Column[];
  readonly rows: readonly (readonly Cell[])[];
  /** Index of the row to highlight. */
  readonly current?: number;
  /** The anchor of each row, which a link to it highlights. */
  readonly anchors?: readonly string[];
  /** Lines across the table, by the index of the row that they stand before. */
  readonly bands?: ReadonlyMap<number, Inline>;
}

/** A table that scrolls horizontally where it does not fit. One of the class `stacked`, whose last column is prose, shows rows as blocks on phones. */
export function table({ caption, className = '', columns, rows, current, anchors = [], bands }: TableData): Part {
  const head = columns.map(({ label, is = [] }) => html`<th scope="col" class="${classesOf(is)}">${label}</th>`);
  const alignment = columns.map(({ is = [] }) => (is.includes('number') ? '---:' : '---'));
  return {
    html(to) {
      const body = rows.map(
        (cells, row) =>
          html`${bandHtml(bands?.get(row), columns.length, to)}<tr${anchors[row] === undefined ? NOTHING : html` id="${anchors[row]}"`}${row === current ? html` class="current" aria-current="true"` : NOTHING}>${cells.map((cell, index) => cellHtml(cell, columns[index], to, className === 'stacked'))}</tr>`,
      );
      return html`<div class="scroll" tabindex="0" role="region" aria-label="${caption}"><table class="${className}"><caption class="said">${caption}</caption><thead><tr>${head}</tr></thead><tbody>${body}</tbody></table></div>`;
    },
    markdown: (to) =>
      [
        columns.map(({ label }) => escapeMarkdown(label)),
        alignment,
        ...rows.flatMap((cells, row) => [
          ...(bands?.has(row) === true ? [columns.map((_, at) => (at === 0 ? bands.get(row)!.markdown(to) : ''))] : []),
          cells.map((cell) => cellMarkdown(cell, to)),
        ]),
      ]
        .map((cells) => `| ${cells.join(' | ')} |`)
        .join('\n'),
  };
}

function bandHtml(band: Inline | undefined, columns: number, to: Resolver): Html {
  if (band === undefined) return NOTHING;
  return html`<tr class="band"><th scope="colgroup" colspan="${columns}">${band.html(to)}</th></tr>`;
}

function cellHtml(cell: Cell, { label, is = [] }: Column = { label: '' }, to: Resolver, isStacked: boolean): Html {
  const { drawing, under } = typeof cell === 'object' ? cell : {};
  const inner = html`${inline(cell).html(to)}${drawing}${under && html`<span class="under">${under.html(to)}</span>`}`;
  if (is.includes('row')) return html`<th scope="row" class="${classesOf(is)}">${inner}</th>`;
  return html`<td class="${classesOf(is)}"${isStacked ? html` data-label="${label}"` : NOTHING}>${inner}</td>`;
}

function classesOf(is: NonNullable<Column['is']>): string {
  return is.filter((one) => one !== 'row').join(' ');
}

function cellMarkdown(cell: Cell, to: Resolver): string {
  const under = typeof cell === 'object' ? cell.under : undefined;
  const said = inline(cell).markdown(to);
  return under === undefined ? said : `${said} (${under.markdown(to)})`;
}
