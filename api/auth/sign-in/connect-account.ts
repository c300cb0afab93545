import { MINUTE_MS } from '../../../config/units.ts';
import type { SignedInPerson } from '../../../engine/accounts/index.ts';
import { html } from '../../html.ts';
import { LINK_LIFETIME_MS, outboxLink, requestLink } from './email-link.ts';
import { PROVIDER_TITLES } from './upstreams.ts';
import type { Visit } from './visit.ts';

/**
 * Asks a person whose provider has verified the address of an account to connect the two: the identity joins the account when a
 * link mailed to the address is followed in this browser. Because the provider has verified the address, the page discloses
 * nothing that its reader could not learn from that mailbox.
 */
export async function askToConnect(
  visit: Visit,
  person: SignedInPerson,
  { address, next }: { readonly address: string; readonly next: string | null },
): Promise<void> {
  const { provider, label } = person;
  const title = PROVIDER_TITLES[provider];
  const otherwise = html`<p>You can also <a href="${visit.paths.login}">sign in the way you did before</a>, and add ${title} on your account page.</p>`;
  const known = html`<p>An account with the address <strong>${address}</strong> exists, and <strong>${title}: ${label}</strong> is not connected to it yet.</p>`;
  if (visit.mailer === null) {
    return visit.page('This address has an account', html`${known}\n${otherwise}`, { status: 409 });
  }
  if (!(await requestLink(visit, address, { next, linkTo: null, person }))) return;
  visit.page(
    'This address has an account',
    html`${known}
<p>We mailed a link to that address. Open it in this browser within ${LINK_LIFETIME_MS / MINUTE_MS} minutes to connect ${title} and sign in.</p>
<p class="soft">No mail? Look in your spam folder.</p>
${otherwise}
${outboxLink(visit)}`,
  );
}
