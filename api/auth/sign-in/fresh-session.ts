import { MINUTE_MS } from '../../../config/units.ts';
import type { Session } from '../../../engine/accounts/index.ts';
import { type Html, html } from '../../html.ts';
import { AnsweredError, loginAddress, signInFirst, type Visit } from './visit.ts';

/** Age up to which a sign-in allows changing the ways to sign in, making a token and erasing the account, in milliseconds. */
const FRESH_SIGN_IN_MS = 10 * MINUTE_MS;

function isFresh({ clock }: Visit, { authenticatedAt }: Session): boolean {
  return clock() - authenticatedAt <= FRESH_SIGN_IN_MS;
}

/** The session of a recent sign-in. Otherwise the browser signs in first, and comes back to the part of the account page. */
export function freshSession(visit: Visit, part: 'ways' | 'tokens' | 'erase'): Session {
  const { session, paths } = visit;
  const next = `${paths.account}#${part}`;
  if (session === null) return signInFirst(visit, next, true);
  if (isFresh(visit, session)) return session;
  const body = html`<p>Changing how you sign in, making a token and deleting the account require a sign-in within the last ${FRESH_SIGN_IN_MS / MINUTE_MS} minutes. Nothing was changed.</p>
<p><a href="${loginAddress(visit, next, true)}">Sign in again</a> and return to where you were.</p>`;
  visit.page('Sign in again first', body, { status: 403 });
  throw new AnsweredError();
}

/** A note that a part of the account page needs a fresh sign-in; null when the sign-in is fresh. */
export function freshNote(visit: Visit): Html | null {
  const { session } = visit;
  if (session === null || isFresh(visit, session)) return null;
  return html`<p class="soft">You signed in more than ${FRESH_SIGN_IN_MS / MINUTE_MS} minutes ago. Sign in again before you change anything here.</p>`;
}

/** The account to which a form adds a way to sign in; null for a sign-in. */
export function linkToOf(visit: Visit): number | null {
  return visit.form.get('intent') === 'link' ? freshSession(visit, 'ways').operator : null;
}
