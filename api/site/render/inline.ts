import { type Html, html } from '../../html.ts';
import { type Ref, type Resolver, requireRef } from './addresses.ts';
import { escapeMarkdown } from './escape-markdown.ts';

/** A run of text with its kind. */
export type Run =
  | { readonly kind: 'text' | 'strong' | 'code' | 'name' | 'narrow'; readonly text: string }
  /** A badge; `level` is the position of the tier, 0 (lowest) to 7. */
  | { readonly kind: 'tier'; readonly text: string; readonly level: number }
  | { readonly kind: 'link'; readonly text: Inline; readonly href: Ref }
  /** Milliseconds since the epoch. */
  | { readonly kind: 'time'; readonly at: number }
  /** A symbol, and the words that screen readers read in its place. */
  | { readonly kind: 'mark'; readonly className: string; readonly shown: string; readonly said: string };

export type Inline = readonly Run[];

const HOLE = /\ue000(\d+)\ue000/;
const MARKUP = /`([^`]+)`|\*\*([^*]+)\*\*|\[([^\]]+)\]\(([^)\s]+)\)|\ue000(\d+)\ue000/;

/**
 * Text with a little markup: `code`, **strong** and [links](site:/path). Interpolated values are text or runs and are
 * never parsed as markup.
 */
export function m(strings: TemplateStringsArray, ...values: readonly (string | number | Inline)[]): Inline {
  const source = strings.reduce((before, part, index) => `${before}\ue000${index - 1}\ue000${part}`);
  return parse(source, values);
}

export function text(value: string | number): Inline {
  return [{ kind: 'text', text: String(value) }];
}

/** A name that a person chose: kept apart from the text around it, whatever direction it is written in. */
export function name(value: string): Inline {
  return [{ kind: 'name', text: value }];
}

export function code(value: string): Inline {
  return [{ kind: 'code', text: value }];
}

export function link(label: Inline | string, href: Ref): Inline {
  return [{ kind: 'link', text: typeof label === 'string' ? text(label) : label, href }];
}

export function time(at: number): Inline {
  return [{ kind: 'time', at }];
}

function parse(source: string, values: readonly (string | number | Inline)[]): Inline {
  const filled = (part: string): string =>
    part.replace(new RegExp(HOLE, 'g'), (_, index: string) => {
      const value = values[Number(index)];
      return typeof value === 'object' ? plainText(value) : String(value);
    });
  const runs: Run[] = [];
  let rest = source;
  for (let found = MARKUP.exec(rest); found !== null; found = MARKUP.exec(rest)) {
    if (found.index > 0) runs.push({ kind: 'text', text: rest.slice(0, found.index) });
    const [all, coded, strong, label, href, hole] = found;
    if (coded !== undefined) runs.push({ kind: 'code', text: filled(coded) });
    else if (strong !== undefined) runs.push({ kind: 'strong', text: filled(strong) });
    else if (href !== undefined) runs.push(...link(filled(label ?? ''), requireRef(filled(href))));
    else {
      const value = values[Number(hole)]!;
      runs.push(...(typeof value === 'object' ? value : text(value)));
    }
    rest = rest.slice(found.index + all.length);
  }
  if (rest !== '') runs.push({ kind: 'text', text: rest });
  return runs;
}

export function inlineHtml(runs: Inline, to: Resolver): Html[] {
  return runs.map((run) => {
    switch (run.kind) {
      case 'text':
        return html`${run.text}`;
      case 'strong':
        return html`<strong>${run.text}</strong>`;
      case 'code':
        return html`<code>${run.text}</code>`;
      case 'name':
        return html`<bdi>${run.text}</bdi>`;
      case 'tier':
        return html`<span class="tier tier-${run.level}">${run.text}</span>`;
      case 'narrow':
        return html`<span class="narrow">${run.text}</span>`;
      case 'link':
        return html`<a href="${to.near(run.href)}">${inlineHtml(run.text, to)}</a>`;
      case 'time':
        return html`<time datetime="${new Date(run.at).toISOString()}">${readableTime(run.at)}</time>`;
      case 'mark':
        return html`<span class="${run.className}"><span aria-hidden="true">${run.shown}</span><span class="said">${run.said}</span></span>`;
    }
  });
}

export function inlineMarkdown(runs: Inline, to: Resolver): string {
  return runs
    .map((run) => {
      switch (run.kind) {
        case 'text':
        case 'name':
        case 'tier':
          return escapeMarkdown(run.text);
        case 'narrow':
          return '';
        case 'strong':
          return `**${escapeMarkdown(run.text)}**`;
        case 'code':
          return `\`${run.text.replaceAll('`', "'")}\``;
        case 'link':
          return `[${inlineMarkdown(run.text, to)}](${to.far(run.href)})`;
        case 'time':
          return readableTime(run.at);
        case 'mark':
          return escapeMarkdown(run.shown);
      }
    })
    .join('');
}

/** The runs as plain text, without markup. */
export function plainText(runs: Inline): string {
  return runs
    .map((run) => {
      if (run.kind === 'link') return plainText(run.text);
      if (run.kind === 'time') return readableTime(run.at);
      return run.kind === 'mark' ? run.said : run.text;
    })
    .join('');
}

const MONTHS = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec'];

/** Such as "4 May 2026, 12:00 UTC". */
export function readableTime(at: number): string {
  const moment = new Date(at);
  const clock = moment.toISOString().slice(11, 16);
  return `${readableDay(at)}, ${clock} UTC`;
}

/** Such as "4 May 2026", in UTC. */
export function readableDay(at: number): string {
  const moment = new Date(at);
  return `${moment.getUTCDate()} ${MONTHS[moment.getUTCMonth()]} ${moment.getUTCFullYear()}`;
}
