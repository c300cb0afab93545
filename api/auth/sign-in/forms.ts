import { MAX_CASE_TEXT_LENGTH } from '../../../engine/integrity/cases/index.ts';
import { type Html, html, wholeWords } from '../../html.ts';
import type { Visit } from './visit.ts';

/** A form with the CSRF field. */
export function form(
  { csrf }: Visit,
  action: string,
  fields: Readonly<Record<string, string | null>>,
  content: Html,
): Html {
  const hidden = Object.entries({ csrf, ...fields }).filter(([, value]) => value !== null && value !== '');
  return html`<form method="post" action="${action}">
${hidden.map(([name, value]) => html`<input type="hidden" name="${name}" value="${value}">`)}
${content}
</form>`;
}

/** A form that is shown when its summary is chosen, or from the start when `open`. `about` is as of buttons. */
export function foldedForm(summary: string, open: boolean, content: Html, about?: string): Html {
  return html`<details${open ? html` open` : null}><summary${nameOf(summary, about)}>${summary}</summary>
${content}
</details>`;
}

/** A field for a text of an integrity case, which the server checks again. */
export function textArea(id: string, name: string, label: string, value = '', required = true): Html {
  return html`<label for="${id}">${label}</label>
<textarea id="${id}" name="${name}" rows="4" maxlength="${MAX_CASE_TEXT_LENGTH}"${required ? html` required` : null}>${value}</textarea>`;
}

/** Lines to be copied, by a button of the script. */
export function codeBlock(lines: string, label: string): Html {
  return html`<div class="block"><pre tabindex="0" role="region" aria-label="${label}"><code>${wholeWords(lines)}</code></pre></div>`;
}

/** An entry of a list: a title with a note, and what can be done with it. */
export function row(title: string, note: string | null, action: Html | null = null): Html {
  return html`<li><span>${title}${note === null ? null : html`<br><span class="soft">${note}</span>`}</span>${action}</li>`;
}

/** `about` distinguishes buttons with the same label for screen readers. */
export function button(label: string, style: 'main' | 'small' | 'danger' | '' = '', about?: string): Html {
  return html`<button type="submit" class="${style}"${nameOf(label, about)}>${label}</button>`;
}

function nameOf(label: string, about: string | undefined): Html | null {
  return about === undefined ? null : html` aria-label="${label} ${about}"`;
}
