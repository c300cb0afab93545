import * as z from 'zod';
import { newSecret } from '../../../engine/accounts/index.ts';
import { html } from '../../html.ts';
import { completeSignIn } from './complete-sign-in.ts';
import { askToConnect } from './connect-account.ts';
import { purposeOf } from './fresh-session.ts';
import { PATHS } from './paths.ts';
import { type Upstream, UpstreamRefusedError } from './upstreams.ts';
import type { Visit } from './visit.ts';

/** Lifetime of an OAuth state, in milliseconds: the time a person has at the upstream. */
const STATE_LIFETIME_MS = 10 * 60_000;

const ATTEMPT = z.object({
  upstream: z.string(),
  verifier: z.string(),
  browser: z.string(),
  next: z.string().nullable(),
  linkTo: z.number().nullable(),
});

/** `POST /login/github`, `/login/twitter`: sends the browser to the upstream. */
export async function leaveForUpstream(visit: Visit, upstream: Upstream): Promise<void> {
  const purpose = purposeOf(visit);
  if (purpose === null) return;
  const verifier = newSecret();
  const next = visit.form.get('next');
  const state = await visit.accounts.oneTime.issue({
    kind: 'upstream',
    data: { upstream: upstream.name, verifier, browser: visit.browser, next, ...purpose },
    lifetimeMs: STATE_LIFETIME_MS,
  });
  visit.redirect(await upstream.authorizationUrl({ state, verifier }));
}

/** `GET /auth/callback`: return from the upstream. The state is valid once, and only in the browser that it was issued to. */
export async function returnFromUpstream(visit: Visit): Promise<void> {
  const { accounts, upstreams, logger, loginUrl } = visit;
  const state = visit.query.get('state') ?? '';
  const attempt = ATTEMPT.safeParse((await accounts.oneTime.peek('upstream', state))?.data);
  const upstream = upstreams.find(({ name }) => attempt.success && name === attempt.data.upstream);
  const own = attempt.success && attempt.data.browser === visit.browser;
  if (!own || upstream === undefined || (await accounts.oneTime.consume('upstream', state)) === null) {
    return refuse(visit, 400, 'This sign-in was not started in this browser, or was completed before.');
  }
  const { verifier, next, linkTo } = attempt.data;
  try {
    const callback = new URL(`${loginUrl}${PATHS.callback}?${visit.ctx.querystring}`);
    const person = await upstream.finish(callback, { state, verifier });
    const address = await completeSignIn(visit, person, { next, linkTo, knownAddress: 'ask' });
    if (address !== null) await askToConnect(visit, person, { address, next });
  } catch (error) {
    if (error instanceof UpstreamRefusedError) {
      const detail = { provider: upstream.name, reason: 'refused' };
      await accounts.audit.record({ kind: 'sign_in_refused', operator: linkTo, client: visit.client, detail });
      return refuse(visit, 400, `${upstream.title} refused the sign-in.`);
    }
    logger.error({ err: error, upstream: upstream.name }, 'an upstream sign-in failed');
    refuse(visit, 502, `${upstream.title} sent no valid response. Try again in a moment.`);
  }
}

function refuse(visit: Visit, status: number, reason: string): void {
  const body = html`<p>${reason}</p><p><a href="${visit.paths.login}">Sign in</a></p>`;
  visit.page('You are not signed in', body, { status });
}
