import { MINUTE_MS } from '../../../config/units.ts';
import type { Session } from '../../../engine/accounts/index.ts';
import { type Html, html } from '../../html.ts';
import type { Visit } from './visit.ts';

/** Age up to which a sign-in allows changing the ways to sign in, making a token and erasing the account, in milliseconds. */
const FRESH_SIGN_IN_MS = 10 * MINUTE_MS;

function isFresh({ clock }: Visit, { authenticatedAt }: Session): boolean {
  return clock() - authenticatedAt <= FRESH_SIGN_IN_MS;
}

/** The session of a recent sign-in. Otherwise sends the browser to sign in and back to the part of the page, and returns null. */
export function freshSession(visit: Visit, part: 'ways' | 'tokens' | 'erase'): Session | null {
  const { session } = visit;
  if (session !== null && isFresh(visit, session)) return session;
  const query = new URLSearchParams({ fresh: '1', next: `${visit.paths.account}#${part}` });
  const login = `${visit.paths.login}?${query.toString()}`;
  if (session === null) visit.redirect(login);
  else {
    visit.page(
      'Sign in again first',
      html`<p>Changing how you sign in, making a token and deleting the account require a sign-in within the last ${FRESH_SIGN_IN_MS / MINUTE_MS} minutes. Nothing was changed.</p>
<p><a href="${login}">Sign in again</a> and return to where you were.</p>`,
      { status: 403 },
    );
  }
  return null;
}

/** A note that a part of the account page needs a fresh sign-in; null when the sign-in is fresh. */
export function freshNote(visit: Visit): Html | null {
  const { session } = visit;
  if (session === null || isFresh(visit, session)) return null;
  return html`<p class="soft">You signed in more than ${FRESH_SIGN_IN_MS / MINUTE_MS} minutes ago. Sign in again before you change anything here.</p>`;
}

/** The account to which a form adds a way to sign in (`linkTo` is null for a sign-in). Null when the browser was sent to sign in first. */
export function purposeOf(visit: Visit): { readonly linkTo: number | null } | null {
  if (visit.form.get('intent') !== 'link') return { linkTo: null };
  const session = freshSession(visit, 'ways');
  return session === null ? null : { linkTo: session.operator };
}
