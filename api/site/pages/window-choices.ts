import { WINDOW_SPECS, type Window } from '../../../engine/contract/index.ts';
import { type Html, html, NOTHING } from '../../html.ts';
import type { Ref, Resolver } from '../render/addresses.ts';

/** One of several addresses to choose from. */
export interface Choice {
  readonly label: string;
  readonly ref: Ref;
  readonly current: boolean;
  /** Text for screen readers after the label. */
  readonly said?: string;
}

/** A list of links with the current one marked. */
export function choiceList(name: string, choices: readonly Choice[], to: Resolver): Html {
  const items = choices.map(
    ({ label, ref, current, said }) =>
      html`<li><a href="${to.near(ref)}"${current ? html` aria-current="true"` : NOTHING}>${label}${said === undefined ? NOTHING : html`<span class="said"> ${said}</span>`}</a></li>`,
  );
  return html`<nav aria-label="${name}"><ul>${items}</ul></nav>`;
}

/** The same page for each window. */
export function windowChoices(current: Window, refOf: (window: Window) => Ref, to: Resolver): Html {
  const choices = WINDOW_SPECS.map(({ name, label }) => ({ label, ref: refOf(name), current: name === current }));
  return choiceList('Window', choices, to);
}

/** The query of a window: empty for all time, so that a page has one address. `before` contains other parameters. */
export function windowQuery(window: Window, before = ''): string {
  const asked = [...(before === '' ? [] : [before]), ...(window === 'all_time' ? [] : [`window=${window}`])];
  return asked.length === 0 ? '' : `?${asked.join('&')}`;
}
