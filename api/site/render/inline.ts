import { readableMinute } from '../../../config/units.ts';
import { type Html, html, NOTHING, trusted } from '../../html.ts';
import { type Ref, type Resolver, requireRef } from './addresses.ts';

/** Text within a line. HTML and Markdown are rendered from the same data. */
export interface Inline {
  readonly html: (to: Resolver) => Html;
  readonly markdown: (to: Resolver) => string;
}

/** A value in a template: text, or text with markup; the items of a list follow each other. */
type Value = string | number | Inline | readonly Inline[];

const BREAK = trusted('<wbr>');

/** Markup, a hole with the index of its value, or the text up to the next of them. */
const PIECES = /`([^`]+)`|\*\*([^*]+)\*\*|\[([^\]]+)\]\(([^)\s]+)\)|\ue000(\d+)\ue000|[^`*[\ue000]+|[\s\S]/g;

/** Text with `code`, **strong** and [links](site:/path). Interpolated values are never parsed as markup. */
export function m(strings: TemplateStringsArray, ...values: readonly Value[]): Inline {
  const source = strings.reduce((before, part, index) => `${before}\ue000${index - 1}\ue000${part}`);
  const filled = (part: string): string =>
    part.replaceAll(/\ue000(\d+)\ue000/g, (_, index: string) => {
      const value = values[Number(index)];
      if (typeof value === 'object') throw new Error('markup inside markup');
      return String(value);
    });
  const pieces = Array.from(source.matchAll(PIECES), ([piece, coded, bold, label, href, hole]) => {
    if (coded !== undefined) return code(filled(coded));
    if (bold !== undefined) return strong(filled(bold));
    if (label !== undefined) return link(filled(label), requireRef(filled(href ?? '')));
    return inline(hole === undefined ? piece : values[Number(hole)]!);
  });
  return inline(pieces);
}

export function inline(value: Value): Inline {
  if (typeof value !== 'object') return text(value);
  if ('html' in value) return value;
  return {
    html: (to) => html`${value.map((one) => one.html(to))}`,
    markdown: (to) => value.map((one) => one.markdown(to)).join(''),
  };
}

export function text(value: string | number): Inline {
  return { html: () => html`${value}`, markdown: () => escapeMarkdown(String(value)) };
}

/** A name that a person chose: kept apart from the text around it, whatever direction it is written in. */
export function name(value: string): Inline {
  return { ...text(value), html: () => html`<bdi>${value}</bdi>` };
}

export function strong(value: Value): Inline {
  const shown = inline(value);
  return { html: (to) => html`<strong>${shown.html(to)}</strong>`, markdown: (to) => `**${shown.markdown(to)}**` };
}

/** Long codes and paths break only after an underscore or a slash. */
export function code(value: string): Inline {
  const pieces = value.split(/(?<=[_/])/);
  return {
    html: () => html`<code>${pieces.map((piece, index) => html`${index === 0 ? NOTHING : BREAK}${piece}`)}</code>`,
    markdown: () => `\`${value.replaceAll('`', "'")}\``,
  };
}

export function link(label: Inline | string, href: Ref): Inline {
  const shown = inline(label);
  return {
    html: (to) => html`<a href="${to.near(href)}">${shown.html(to)}</a>`,
    markdown: (to) => `[${shown.markdown(to)}](${to.far(href)})`,
  };
}

/** A moment, in milliseconds since the epoch. */
export function time(at: number): Inline {
  const iso = new Date(at).toISOString();
  const words = readableMinute(at);
  return { html: () => html`<time datetime="${iso}">${words}</time>`, markdown: () => words };
}

/** A symbol, and the words that screen readers read in its place. */
export function mark(className: string, shown: string, said: string): Inline {
  return {
    ...text(shown),
    html: () =>
      html`<span class="${className}"><span aria-hidden="true">${shown}</span><span class="said">${said}</span></span>`,
  };
}

/** Characters with a special meaning in Markdown or in HTML inside it. */
const SPECIAL = /[\\`*_[\]<>#|~&!]/g;

/** Line breaks and invisible characters that can change the text around them. */
const INVISIBLE = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]+/gu;

/** Escapes text so that Markdown renders it literally, on one line. */
export function escapeMarkdown(value: string): string {
  return value.replace(INVISIBLE, ' ').replace(SPECIAL, String.raw`\$&`);
}
