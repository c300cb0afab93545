import type { AddressPolicy, SignedInPerson } from '../../../engine/accounts/index.ts';
import { newSecret } from '../../../engine/accounts/index.ts';
import { html } from '../pages/html.ts';
import type { SignInContext } from './context.ts';
import { nextOf } from './login-page.ts';
import { notifyOwner } from './notify-owner.ts';
import { PATHS, pathOf } from './paths.ts';
import type { Visit } from './visit.ts';

/** What a way of signing in was begun for. */
export interface Purpose {
  readonly next: string | null;
  /** The account that gets another way to sign in; null when somebody signs in. */
  readonly linkTo: number | null;
  /** `join` when a link mailed to the person's address was followed in this browser. */
  readonly knownAddress: Exclude<AddressPolicy, 'separate'>;
}

/**
 * Ends a sign-in that a provider has vouched for: signs the browser in, or adds the identity to its account. When the
 * person first has to confirm that the identity joins an account, it sends no answer and returns the account's address.
 */
export async function complete(
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
        body: html`<p>This way to sign in has just been removed from the account.</p>`,
      },
      { status: 403 },
    );
    return null;
  }
  const { secret, session } = begun;
  cookies.setSession(visit.ctx, secret, session.expiresAt - clock());
  // Whatever was begun in this browser before somebody signed in is not theirs.
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
