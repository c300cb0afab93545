import { html as template } from 'hono/html';
import { type HtmlEscapedString, raw } from 'hono/utils/html';

/** Finished markup. Only `html` and `trusted` make it; any other text is escaped where it is put in. */
export type Html = HtmlEscapedString;

type Child = Html | string | number | null | undefined | readonly Child[];

/** Markup with values put in, as text or in quoted attributes: escaped unless they are `Html`. */
export function html(strings: TemplateStringsArray, ...values: readonly Child[]): Html {
  const made = template(strings, ...values);
  if (made instanceof Promise) throw new Error('template value is a promise');
  return made;
}

/** Marks a constant as markup. Never pass a user's text. */
export function trusted(markup: string): Html {
  return raw(markup);
}

/** Text in which no line is broken inside a word, as browsers do after hyphens and slashes. */
export function wholeWords(lines: string): readonly (Html | string)[] {
  return lines.split(/(\s+)/).map((word) => (/[-/]/.test(word) ? html`<span>${word}</span>` : word));
}

export const NOTHING: Html = trusted('');
