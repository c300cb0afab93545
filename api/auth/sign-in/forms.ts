import { type Html, html } from '../../html.ts';
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

/** `about` distinguishes buttons with the same label for screen readers. */
export function button(label: string, style: 'main' | 'small' | '' = '', about?: string): Html {
  const name = about === undefined ? null : html` aria-label="${label} ${about}"`;
  return html`<button type="submit" class="${style}"${name}>${label}</button>`;
}
