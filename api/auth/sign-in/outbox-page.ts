import { html } from '../../html.ts';
import type { Mail } from './mailer.ts';
import type { Visit } from './visit.ts';

/** `GET /login/outbox`: unsent mail of a local installation. */
export function showOutbox(visit: Visit, mails: readonly Mail[]): void {
  visit.page({
    title: 'Outbox',
    body: html`<p class="soft">Mail that this installation would have sent. The newest is first.</p>
${mails.length === 0 ? html`<p>It is empty.</p>` : null}
${mails.map(
  ({ to, subject, text }) => html`<hr><h2>${subject}</h2><p class="soft">to ${to}</p>
${text.split('\n\n').map((paragraph) => html`<p>${linked(paragraph)}</p>`)}`,
)}`,
  });
}

function linked(paragraph: string) {
  return /^https?:\/\/\S+$/.test(paragraph) ? html`<a href="${paragraph}"><code>${paragraph}</code></a>` : paragraph;
}
