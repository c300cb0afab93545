import type { Identity } from '../../../engine/accounts/index.ts';
import { type Html, html } from '../pages/html.ts';
import type { SignInContext } from './context.ts';
import { button, form } from './forms.ts';
import { signInForms } from './login-page.ts';
import { PATHS, pathOf } from './paths.ts';
import { showProblem } from './problem-pages.ts';
import { PROVIDER_TITLES } from './provider-titles.ts';
import type { Visit } from './visit.ts';

/** The ways to sign in and the addresses that they vouch for, each with a way to end it. */
export async function identitySection(context: SignInContext, visit: Visit, operator: number): Promise<Html> {
  const { identities } = context.accounts;
  const [ways, addresses] = await Promise.all([identities.list(operator), identities.addressesOf(operator)]);
  return html`<h2 id="ways">Ways to sign in</h2>
<ul class="rows">${ways.map((way) =>
    row(
      wayText(way),
      way.email === null || way.email === way.label ? null : `vouches for ${way.email}`,
      ways.length === 1
        ? null
        : form(visit, pathOf(context, PATHS.unlink), { identity: way.key }, button('Remove', 'small', wayText(way))),
    ),
  )}</ul>
${signInForms(context, visit, { next: null, intent: 'link' })}
<h2>E-mail addresses</h2>
${addresses.length === 0 ? html`<p>No way to sign in vouches for an address.</p>` : addressRows(context, visit, ways, addresses)}`;
}

function addressRows(
  context: SignInContext,
  visit: Visit,
  ways: readonly Identity[],
  addresses: readonly string[],
): Html {
  const rows = addresses.map((address, index) => {
    const vouchers = ways.filter(({ email }) => email === address);
    const by = [...new Set(vouchers.map(({ provider }) => PROVIDER_TITLES[provider]))].join(' and ');
    return row(
      address,
      `by ${by}${index === 0 ? '; apps that may see your address see this one' : ''}`,
      vouchers.length === ways.length
        ? null
        : form(visit, pathOf(context, PATHS.removeAddress), { address }, button('Remove', 'small', address)),
    );
  });
  return html`<ul class="rows">${rows}</ul>
<p class="soft">Anyone who reads mail to one of them can sign in as you. Removing an address removes each way to sign in that vouches for it.</p>`;
}

function row(title: string, note: string | null, action: Html | null): Html {
  return html`<li><span>${title}${note === null ? null : html`<br><span class="soft">${note}</span>`}</span>${
    action ?? html`<span class="soft">the only one</span>`
  }</li>`;
}

function wayText({ provider, label }: Identity): string {
  return `${PROVIDER_TITLES[provider]}: ${label}`;
}

/** `POST /account/unlink`. */
export async function unlinkIdentity(context: SignInContext, visit: Visit): Promise<void> {
  const { session } = visit;
  if (session === null) return visit.redirect(pathOf(context, PATHS.login));
  await remove(context, visit, session.operator, [visit.form.get('identity') ?? '']);
}

/** `POST /account/addresses/remove`: removes every way to sign in that vouches for the address. */
export async function removeAddress(context: SignInContext, visit: Visit): Promise<void> {
  const { session } = visit;
  if (session === null) return visit.redirect(pathOf(context, PATHS.login));
  const ways = await context.accounts.identities.list(session.operator);
  const vouchers = ways.filter(({ email }) => email !== null && email === visit.form.get('address'));
  if (vouchers.length === ways.length) return showLast(visit);
  await remove(
    context,
    visit,
    session.operator,
    vouchers.map(({ key }) => key),
  );
}

async function remove(context: SignInContext, visit: Visit, operator: number, keys: readonly string[]): Promise<void> {
  for (const key of keys) {
    if ((await context.accounts.identities.unlink(operator, key, visit.client)) === 'last') return showLast(visit);
  }
  visit.redirect(pathOf(context, PATHS.account));
}

function showLast(visit: Visit): void {
  showProblem(visit, 409, 'It is the only one', 'Add another way to sign in first, so that you can come back.');
}
