import type { Identity, Session } from '../../../engine/accounts/index.ts';
import { type Html, html } from '../../html.ts';
import { showDone } from './account-done.ts';
import { button, form, row } from './forms.ts';
import { freshNote, freshSession } from './fresh-session.ts';
import { signInForms } from './login-page.ts';
import type { Visit } from './visit.ts';

const ONLY_ONE = html`<span class="soft">your only one</span>`;

/** The ways to sign in and their verified addresses, each with a button to remove it. */
export async function identitySection(visit: Visit, operator: number): Promise<Html> {
  const { identities } = visit.accounts;
  const [ways, addresses] = await Promise.all([identities.list(operator), identities.addressesOf(operator)]);
  return html`${freshNote(visit)}
<ul class="rows">${ways.map((way) =>
    row(
      wayText(visit, way),
      way.email === null || way.email === way.label ? null : `verified ${way.email}`,
      ways.length === 1
        ? ONLY_ONE
        : form(visit, visit.paths.unlink, { identity: way.key }, button('Remove', 'small', wayText(visit, way))),
    ),
  )}</ul>
<p class="soft">Removing one also signs out every browser that used it, and disconnects the apps you allowed from those browsers.</p>
${signInForms(visit, { next: null, intent: 'link' })}
<h3>Your e-mail addresses</h3>
${addresses.length === 0 ? html`<p>None of your ways to sign in has a verified address.</p>` : addressRows(visit, ways, addresses)}`;
}

function addressRows(visit: Visit, ways: readonly Identity[], addresses: readonly string[]): Html {
  const rows = addresses.map((address) => {
    const vouchers = ways.filter(({ email }) => email === address);
    const by = [...new Set(vouchers.map(({ provider }) => visit.titles[provider]))].join(' and ');
    return row(
      address,
      `verified by ${by}`,
      vouchers.length === ways.length
        ? ONLY_ONE
        : form(visit, visit.paths.removeAddress, { address }, button('Remove', 'small', address)),
    );
  });
  return html`<ul class="rows">${rows}</ul>
<p class="soft">Apps that may see your address get the first one. Anyone who can read e-mail sent to one of these addresses can sign in as you. Removing an address also removes every way to sign in that verified it.</p>`;
}

function wayText({ titles }: Visit, { provider, label }: Identity): string {
  return `${titles[provider]}: ${label}`;
}

/** `POST /account/unlink`. */
export async function unlinkIdentity(visit: Visit): Promise<void> {
  await remove(visit, freshSession(visit, 'ways'), [visit.form.get('identity') ?? '']);
}

/** `POST /account/addresses/remove`: removes every way to sign in that vouches for the address. */
export async function removeAddress(visit: Visit): Promise<void> {
  const session = freshSession(visit, 'ways');
  const ways = await visit.accounts.identities.list(session.operator);
  const vouchers = ways.filter(({ email }) => email !== null && email === visit.form.get('address'));
  if (vouchers.length === ways.length) return showLast(visit);
  const keys = vouchers.map(({ key }) => key);
  await remove(visit, session, keys);
}

async function remove(visit: Visit, { operator }: Session, keys: readonly string[]): Promise<void> {
  const { accounts, cookies } = visit;
  for (const key of keys) {
    const outcome = await accounts.identities.unlink(operator, key, visit.client);
    if (outcome === 'last') return showLast(visit);
    if (outcome === 'excluded') {
      const title = 'A way to sign in cannot be removed now';
      return visit.problem(409, title, 'A moderator excluded you. You can appeal, or erase your account.');
    }
  }
  const secret = cookies.session(visit.ctx);
  if (secret !== null && (await accounts.sessions.find(secret)) !== null) {
    return showDone(visit, 'way_removed');
  }
  cookies.clearSession(visit.ctx);
  const body = html`<p>You removed the way you had signed in with, so you are now signed out.</p>
<p><a href="${visit.paths.login}">Sign in another way</a></p>`;
  visit.page('Removed and signed out', body);
}

function showLast(visit: Visit): never {
  return visit.problem(409, 'This is your only way to sign in', 'Add another one first, or you could not come back.');
}
