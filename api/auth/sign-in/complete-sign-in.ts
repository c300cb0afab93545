import { type AddressPolicy, newSecret, type SignedInPerson } from '../../../engine/accounts/index.ts';
import { showDone } from './account-done.ts';
import { nextOf } from './login-page.ts';
import { PATHS } from './paths.ts';
import type { Visit } from './visit.ts';

/** Why a sign-in was started. */
export interface Purpose {
  readonly next: string | null;
  /** The account to add the identity to; null for a sign-in. */
  readonly linkTo: number | null;
  /** `join` when a link mailed to the person's address was followed in this browser. */
  readonly knownAddress: AddressPolicy;
  readonly letters?: boolean;
}

/**
 * Completes a sign-in that a provider has confirmed: signs the browser in, or adds the identity to the account. When the person
 * first has to confirm that the identity joins an existing account, it sends no response and returns the account's address.
 */
export async function completeSignIn(
  visit: Visit,
  person: SignedInPerson,
  { next, linkTo, knownAddress, letters = false }: Purpose,
): Promise<string | null> {
  if (linkTo !== null) {
    await link(visit, person, linkTo);
    return null;
  }
  const { accounts, maker, cookies, clock } = visit;
  const outcome = await accounts.identities.signIn(person, maker, { client: visit.client, knownAddress });
  if (outcome.kind === 'address_known') return outcome.address;
  if (outcome.kind === 'suspended') {
    return visit.problem(403, 'This account is suspended', 'You cannot sign in to it at the moment.');
  }
  const { operator } = outcome.account;
  await applyHold(visit, operator);
  if (outcome.attached) visit.later(notifyOwner(visit, operator, person));
  const former = cookies.session(visit.ctx);
  if (former !== null) await accounts.sessions.end(former);
  const begun = await accounts.sessions.begin({ operator, provider: person.provider, identity: outcome.identity });
  if (begun === null) {
    const why = 'This way to sign in was just removed from the account, or the account was suspended.';
    return visit.problem(403, 'You are not signed in', why);
  }
  if (letters) await accounts.letters.switchOn(operator, person.verifiedEmail ?? '');
  const { secret, session } = begun;
  cookies.setSession(visit.ctx, secret, session.expiresAt - clock());
  // Forms and sign-ins started in this browser before the sign-in become invalid.
  cookies.setBrowser(visit.ctx, newSecret());
  visit.redirect(nextOf(visit, next));
  return null;
}

async function link(visit: Visit, person: SignedInPerson, operator: number): Promise<void> {
  if (visit.session?.operator !== operator) {
    return visit.problem(403, 'You are signed out', 'Sign in again, then add the other way to sign in.');
  }
  const outcome = await visit.accounts.identities.link(operator, person, visit.client);
  await applyHold(visit, operator);
  if (outcome === 'linked') visit.later(notifyOwner(visit, operator, person));
  if (outcome === 'linked' || outcome === 'exists') return showDone(visit, 'way_added');
  const reason =
    outcome === 'taken'
      ? 'It belongs to another account. Sign in to that account and remove it there first.'
      : 'Your account already has the maximum number of ways to sign in.';
  visit.problem(409, 'It could not be added', reason);
}

/** Holds the rows of an account with a way to sign in of an excluded and erased one. `maintain-accounts` completes and ends it. */
async function applyHold({ accounts, ranking }: Visit, operator: number): Promise<void> {
  const account = await accounts.byOperator(operator);
  if (account !== null && account.held_until !== null) await ranking.operators.holdReturned(operator, true);
}

/** Notifies every address of an account that a way to sign in was added. */
async function notifyOwner(
  { accounts, mailer, loginUrl, clock, titles }: Visit,
  operator: number,
  { provider, label }: Pick<SignedInPerson, 'provider' | 'label'>,
): Promise<void> {
  if (mailer === null) return;
  const way = `${titles[provider]}: ${label}`;
  const text = `At ${new Date(clock()).toISOString()}, a new way to sign in was added to your Upsilon account:

${way}

If this was not you, remove it and sign out everywhere:

${loginUrl}${PATHS.account}
`;
  for (const to of await accounts.identities.addressesOf(operator)) {
    await mailer.send({ to, subject: 'New way to sign in to your Upsilon account', text });
  }
}

const NAME = /^[a-z0-9-]{1,32}$/;

/** `POST /login/development`: signs in under any name, without proof. `allowsDevelopment` restricts it. */
export async function signInWithoutProof(visit: Visit): Promise<void> {
  const name = visit.form.get('name') ?? '';
  if (!NAME.test(name)) {
    return visit.problem(400, 'That is not a valid name', 'Use 1 to 32 lower-case letters, digits and hyphens.');
  }
  const person = { provider: 'development', subject: name, label: name, verifiedEmail: null } as const;
  await completeSignIn(visit, person, { next: visit.form.get('next'), linkTo: null, knownAddress: 'ask' });
}
