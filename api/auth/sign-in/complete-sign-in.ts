import type { AddressPolicy, SignedInPerson } from '../../../engine/accounts/index.ts';
import { newSecret } from '../../../engine/accounts/index.ts';
import { html } from '../../html.ts';
import type { SignInContext } from './context.ts';
import { nextOf } from './login-page.ts';
import { PATHS, pathOf } from './paths.ts';
import { PROVIDER_TITLES } from './provider-titles.ts';
import type { Visit } from './visit.ts';

/** Why a sign-in was started. */
export interface Purpose {
  readonly next: string | null;
  /** The account to add the identity to; null for a sign-in. */
  readonly linkTo: number | null;
  /** `join` when a link mailed to the person's address was followed in this browser. */
  readonly knownAddress: Exclude<AddressPolicy, 'separate'>;
}

/**
 * Completes a sign-in that a provider has confirmed: signs the browser in, or adds the identity to the account. When the person
 * first has to confirm that the identity joins an existing account, it sends no response and returns the account's address.
 */
export async function completeSignIn(
  context: SignInContext,
  visit: Visit,
  person: SignedInPerson,
  { next, linkTo, knownAddress }: Purpose,
): Promise<string | null> {
  if (linkTo !== null) {
    await link(context, visit, person, linkTo);
    return null;
  }
  const { accounts, maker, cookies, clock } = context;
  const outcome = await accounts.identities.signIn(person, maker, { client: visit.client, knownAddress });
  if (outcome.kind === 'address_known') return outcome.address;
  if (outcome.kind === 'suspended') {
    visit.page(
      { title: 'This account is suspended', body: html`<p>You cannot sign in with it for now.</p>` },
      { status: 403 },
    );
    return null;
  }
  const { operator } = outcome.account;
  if (outcome.attached) context.later(notifyOwner(context, operator, person));
  const former = cookies.session(visit.ctx);
  if (former !== null) await accounts.sessions.end(former);
  const begun = await accounts.sessions.begin({ operator, provider: person.provider, identity: outcome.identity });
  if (begun === null) {
    visit.page(
      {
        title: 'You are not signed in',
        body: html`<p>This way to sign in has just been removed from the account, or the account has been suspended.</p>`,
      },
      { status: 403 },
    );
    return null;
  }
  const { secret, session } = begun;
  cookies.setSession(visit.ctx, secret, session.expiresAt - clock());
  // Forms and sign-ins started in this browser before the sign-in become invalid.
  cookies.setBrowser(visit.ctx, newSecret());
  visit.redirect(nextOf(context, next));
  return null;
}

async function link(context: SignInContext, visit: Visit, person: SignedInPerson, operator: number): Promise<void> {
  if (visit.session?.operator !== operator) {
    visit.page(
      { title: 'You are signed out', body: html`<p>Sign in again, then add the other way to sign in.</p>` },
      { status: 403 },
    );
    return;
  }
  const outcome = await context.accounts.identities.link(operator, person, visit.client);
  if (outcome === 'linked') context.later(notifyOwner(context, operator, person));
  if (outcome === 'linked' || outcome === 'exists') return visit.redirect(pathOf(context, PATHS.account));
  const reason =
    outcome === 'taken'
      ? 'It belongs to another account. Sign in with it, and remove it there first.'
      : 'Your account has no room for another way to sign in.';
  visit.page(
    {
      title: 'It could not be added',
      body: html`<p>${reason}</p><p><a href="${pathOf(context, PATHS.account)}">Back to your account</a></p>`,
    },
    { status: 409 },
  );
}

/** Notifies every address of an account that a way to sign in was added. */
async function notifyOwner(
  { accounts, mailer, loginUrl, clock }: SignInContext,
  operator: number,
  { provider, label }: Pick<SignedInPerson, 'provider' | 'label'>,
): Promise<void> {
  if (mailer === null) return;
  const way = `${PROVIDER_TITLES[provider]}: ${label}`;
  const text = `At ${new Date(clock()).toISOString()} a new way to sign in was added to your Upsilon account:

${way}

If you did not add it, remove it and sign out everywhere:

${loginUrl}${PATHS.account}
`;
  for (const to of await accounts.identities.addressesOf(operator)) {
    await mailer.send({ to, subject: 'A way to sign in was added', text });
  }
}
