import * as z from 'zod';
import { listText, WINDOW_SPECS, type Window, windowSentence } from '../../../engine/contract/index.ts';
import { type Html, html, NOTHING } from '../../html.ts';
import { MAX_CODENAME_LENGTH } from '../../v1/operators.ts';
import type { Ref, Resolver } from '../render/addresses.ts';
import { m } from '../render/inline.ts';
import { type Part, shownOnly, writtenOnly } from '../render/parts.ts';

/** A codename typed into a form; control characters, which no codename has, are removed. */
export const TypedCodename = z
  .string()
  .max(MAX_CODENAME_LENGTH)
  .default('')
  .transform((typed) => typed.replaceAll(/\p{Cc}/gu, '').trim());

/** A field for a codename. One with a `value` keeps what was typed. */
export function codenameField(
  label: string,
  key: string,
  { value, required = true }: { readonly value?: string; readonly required?: boolean } = {},
): Html {
  return html`<label><span>${label}</span><input name="${key}"${value === undefined ? NOTHING : html` value="${value}"`}${required ? html` required minlength="3"` : NOTHING} maxlength="32" placeholder="codename" autocomplete="off" autocapitalize="none" spellcheck="false"></label>`;
}

/** `one`, `one and other`, `one, other and third`, and from six on the first three and how many others. */
export function namesText(codenames: readonly string[]): string {
  const [first = '', ...others] = codenames;
  if (others.length === 0) return first;
  const most = 5;
  if (codenames.length <= most) return listText(codenames, 'and');
  return `${codenames.slice(0, 3).join(', ')} and ${codenames.length - 3} others`;
}

/** Keeps the window of the page in the target of a form. */
export function windowField(window: Window): Html {
  return window === 'all_time' ? NOTHING : html`<input type="hidden" name="window" value="${window}">`;
}

/** A form that finds an operator's row on the board of a window. */
export function findForm(to: Resolver, window: Window = 'all_time'): Html {
  return html`<form action="${to.near('site:/operators')}" method="get" role="search">${codenameField('Find an operator', 'codename', { required: false })}${windowField(window)}<button>Find</button></form>`;
}

/** One of several addresses to choose from; `said` is text for screen readers after the label. */
type Choice = readonly [label: string, ref: Ref, current: boolean, said?: string];

/** A list of links with the current one marked. */
export function choiceList(name: string, choices: readonly Choice[], to: Resolver): Html {
  const items = choices.map(
    ([label, ref, current, said]) =>
      html`<li><a href="${to.near(ref)}"${current ? html` aria-current="true"` : NOTHING}>${label}${said && html`<span class="said"> ${said}</span>`}</a></li>`,
  );
  return html`<nav aria-label="${name}"><ul>${items}</ul></nav>`;
}

/** The same page for each window. */
export function windowChoices(current: Window, refOf: (window: Window) => Ref, to: Resolver): Html {
  const choices = WINDOW_SPECS.map(({ name, label }) => [label, refOf(name), name === current] as const);
  return choiceList('Window', choices, to);
}

/** The window of a page, and the same page for each other one. */
export function windowParts(current: Window, refOf: (window: Window) => Ref): Part[] {
  return [
    shownOnly((to) => html`<div class="choices">${windowChoices(current, refOf, to)}</div>`),
    writtenOnly(m`By usage ${windowSentence(current)}. For another window, add \`window\`.`),
  ];
}

/** The query of a window: empty for all time, so that a page has one address. `before` contains other parameters. */
export function windowQuery(window: Window, before = ''): string {
  const asked = [before, window === 'all_time' ? '' : `window=${window}`].filter((parameter) => parameter !== '');
  return asked.length === 0 ? '' : `?${asked.join('&')}`;
}
