import * as z from 'zod';
import { MINUTE_MS } from '../../../config/units.ts';
import { newSecret, type SignedInPerson } from '../../../engine/accounts/index.ts';
import { html } from '../../html.ts';
import { completeSignIn } from './complete-sign-in.ts';
import { LINK_LIFETIME_MS, requestLink } from './email-link.ts';
import { linkToOf } from './fresh-session.ts';
import { unsentNote } from './login-page.ts';
import { PATHS } from './paths.ts';
import { type Upstream, UpstreamRefusedError } from './upstream.ts';
import { AnsweredError, type Visit } from './visit.ts';

/** Lifetime of an OAuth state, in milliseconds: the time a person has at the upstream. */
const STATE_LIFETIME_MS = 10 * MINUTE_MS;

const ATTEMPT = z.object({
  upstream: z.string(),
  verifier: z.string(),
  nonce: z.string(),
  browser: z.string(),
  next: z.string().nullable(),
  linkTo: z.number().nullable(),
});

/** `POST /login/github`, `/login/twitter`, `/login/oidc`: sends the browser to the upstream. */
export async function leaveForUpstream(visit: Visit, upstream: Upstream): Promise<void> {
  const linkTo = linkToOf(visit);
  const [verifier, nonce] = [newSecret(), newSecret()];
  const next = visit.form.get('next');
  const state = await visit.accounts.oneTime.issue({
    kind: 'upstream',
    data: { upstream: upstream.name, verifier, nonce, browser: visit.browser, next, linkTo },
    lifetimeMs: STATE_LIFETIME_MS,
  });
  try {
    const address = await upstream.authorizationUrl({ state, verifier, nonce });
    if (upstream.origin !== null) return visit.redirect(address);
    // A page, because browsers hold every redirect of a form to `form-action`, also those from one provider to the next.
    visit.ctx.set('Refresh', `0; url=${address}`);
    const { title } = upstream;
    visit.page(`Sign in with ${title}`, html`<p><a id="upstream" href="${address}">Continue to ${title}</a></p>`);
  } catch (error) {
    refuseFailed(visit, upstream, error);
  }
}

/** `GET /auth/callback`: return from the upstream. The state is valid once, and only in the browser that it was issued to. */
export async function returnFromUpstream(visit: Visit): Promise<void> {
  const { accounts, upstreams, loginUrl } = visit;
  const state = visit.query.get('state') ?? '';
  const attempt = ATTEMPT.safeParse((await accounts.oneTime.peek('upstream', state))?.data);
  const upstream = upstreams.find(({ name }) => attempt.success && name === attempt.data.upstream);
  const own = attempt.success && attempt.data.browser === visit.browser;
  if (!own || upstream === undefined || (await accounts.oneTime.consume('upstream', state)) === null) {
    return refuse(visit, 400, 'This sign-in was not started in this browser, or it is already complete.');
  }
  const { verifier, nonce, next, linkTo } = attempt.data;
  try {
    const callback = new URL(`${loginUrl}${PATHS.callback}?${visit.ctx.querystring}`);
    const person = await upstream.finish(callback, { state, verifier, nonce });
    const address = await completeSignIn(visit, person, { next, linkTo, knownAddress: 'ask' });
    if (address !== null) await askToConnect(visit, person, address, next);
  } catch (error) {
    if (error instanceof AnsweredError) throw error;
    if (error instanceof UpstreamRefusedError) {
      const detail = { provider: upstream.name, reason: 'refused' };
      await accounts.audit.record({ kind: 'sign_in_refused', operator: linkTo, client: visit.client, detail });
      return refuse(visit, 400, `${upstream.title} refused the sign-in.`);
    }
    refuseFailed(visit, upstream, error);
  }
}

function refuseFailed(visit: Visit, { name, title }: Upstream, error: unknown): void {
  visit.log.error({ err: error, upstream: name }, 'an upstream sign-in failed');
  refuse(visit, 502, `${title} did not respond as expected. Try again in a moment.`);
}

function refuse(visit: Visit, status: number, reason: string): never {
  return visit.problem(status, 'You are not signed in', reason, { to: visit.paths.login, text: 'Sign in' });
}

/**
 * Asks whether to connect a person to the account with the address that the provider verified, by a link mailed to it. The page
 * discloses nothing that its reader could not learn from that mailbox.
 */
async function askToConnect(visit: Visit, person: SignedInPerson, address: string, next: string | null): Promise<void> {
  const { provider, label } = person;
  const title = visit.titles[provider];
  const otherwise = html`<p>You can also <a href="${visit.paths.login}">sign in the way you did before</a> and add ${title} on your account page.</p>`;
  const known = html`<p>There is already an account with the address <strong>${address}</strong>, and <strong>${title}: ${label}</strong> is not connected to it yet.</p>`;
  if (visit.mailer === null) {
    return visit.page('This address has an account', html`${known}\n${otherwise}`, { status: 409 });
  }
  await requestLink(visit, address, { next, linkTo: null, person });
  const unsent = unsentNote(visit);
  const body = html`${known}
<p>${unsent === null ? 'We have sent a link to that address.' : 'There is a link for that address.'} Open it in this browser within ${LINK_LIFETIME_MS / MINUTE_MS} minutes to connect ${title} and sign in.</p>
${unsent ?? html`<p class="soft">No e-mail? Look in your spam folder.</p>`}
${otherwise}`;
  visit.page('This address has an account', body);
}
