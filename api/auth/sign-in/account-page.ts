import { html } from '../../html.ts';
import { codenameSection } from './codename-section.ts';
import type { SignInContext } from './context.ts';
import { deviceSection } from './device-section.ts';
import { button, form } from './forms.ts';
import { freshNote, freshSession } from './fresh-session.ts';
import { identitySection } from './identity-section.ts';
import { PATHS, pathOf } from './paths.ts';
import { planSection } from './plan-section.ts';
import { showProblem } from './problem-pages.ts';
import type { Visit } from './visit.ts';

/** `GET /account`: codename, plan, devices, ways to sign in, sign-out, export and erasure. */
export async function showAccount(context: SignInContext, visit: Visit): Promise<void> {
  const { session } = visit;
  const record = session === null ? null : await context.members.byNumber(session.operator);
  if (session === null || record === null) return visit.redirect(pathOf(context, PATHS.login));
  const { accounts, upstreams } = context;
  const account = await accounts.byOperator(session.operator);
  if (account === null) return visit.redirect(pathOf(context, PATHS.login));
  const [plan, devices, ways, browsers] = await Promise.all([
    planSection(context, visit, account),
    deviceSection(context, visit, session.operator),
    identitySection(context, visit, session.operator),
    accounts.sessions.count(session.operator),
  ]);
  const path = (to: string): string => pathOf(context, to);
  visit.page(
    {
      title: record.codename,
      body: html`<p class="soft">${record.displayName ?? 'Your operator account'}</p>
${codenameSection(context, visit, record.codename)}
<h2>Plan</h2>
${plan}
<h2>Devices</h2>
${devices}
${ways}
<h2>Sign out</h2>
${form(visit, path(PATHS.signOut), {}, button('Sign out here', 'main'))}
${form(visit, path(PATHS.signOutEverywhere), {}, button('Sign out everywhere'))}
<p class="soft">Everywhere means ${browsers === 1 ? 'this browser' : `${browsers} browsers`} and every app and device that you have allowed.</p>
<h2>Export your data</h2>
<p>One JSON file of everything that is stored about you: names, ways to sign in, devices, payments, and your snapshots with their verdicts.</p>
${form(visit, path(PATHS.export), {}, button('Export my data'))}
<h2 id="erase">Delete the account</h2>
<p>Your names, addresses, devices and snapshots are erased, and your place on every board. This cannot be undone.</p>
${freshNote(context, visit)}
${form(
  visit,
  path(PATHS.erase),
  {},
  html`<label for="codename">Type your codename to confirm</label>
<input id="codename" name="codename" type="text" autocomplete="off" required maxlength="32">
${button('Delete everything')}`,
)}`,
    },
    { formTargets: [...upstreams.map(({ origin }) => origin), ...context.paymentOrigins] },
  );
}

/** `POST /account/sign-out`: signs out only this browser. */
export async function signOut(context: SignInContext, visit: Visit): Promise<void> {
  const { accounts, cookies } = context;
  const secret = cookies.session(visit.ctx);
  if (secret !== null) await accounts.sessions.end(secret);
  if (visit.session !== null) {
    const { operator } = visit.session;
    await accounts.audit.record({ kind: 'signed_out', operator, client: visit.client, detail: {} });
  }
  cookies.clearSession(visit.ctx);
  visit.redirect(pathOf(context, PATHS.login));
}

/** `POST /account/sign-out-everywhere`: ends every session, and every grant with its tokens. */
export async function signOutEverywhere(context: SignInContext, visit: Visit): Promise<void> {
  const { accounts, cookies } = context;
  if (visit.session !== null) {
    const { operator } = visit.session;
    const account = await accounts.byOperator(operator);
    await accounts.sessions.endAll(operator);
    if (account !== null) await accounts.oidc.revokeSubject(account.subject);
    await accounts.audit.record({ kind: 'signed_out_everywhere', operator, client: visit.client, detail: {} });
  }
  cookies.clearSession(visit.ctx);
  visit.redirect(pathOf(context, PATHS.login));
}

/** `POST /account/erase`: the same as `DELETE /me`. */
export async function eraseAccount(context: SignInContext, visit: Visit): Promise<void> {
  const session = freshSession(context, visit, 'erase');
  if (session === null) return;
  const record = await context.members.byNumber(session.operator);
  if (record === null) return visit.redirect(pathOf(context, PATHS.login));
  if ((visit.form.get('codename') ?? '').trim().toLowerCase() !== record.codename) {
    return showProblem(visit, 400, 'That is not your codename', 'Nothing was deleted.');
  }
  await context.members.erase(session.operator);
  context.cookies.clearSession(visit.ctx);
  visit.page({
    title: 'Everything is deleted',
    body: html`<p>Your names, addresses, devices and snapshots are gone, and your place leaves every board with its next version, in a moment.</p>
<p>Only an anonymous number remains: in boards that are kept for at most 100 days, and in the list of erasures. A subscription ends now; payment records stay for accounting, without a link to you.</p>`,
  });
}
