import { Readable } from 'node:stream';
import { type Html, html } from '../../html.ts';
import { exportMember } from '../../members/export-member.ts';
import { pageHeaders } from '../page.ts';
import { button, form, row } from './forms.ts';
import { freshNote, freshSession } from './fresh-session.ts';
import { identitySection } from './identity-section.ts';
import { planSection } from './plan-pages.ts';
import { readOwner, type Visit } from './visit.ts';

/** `GET /account`: codename, plan, devices, ways to sign in, sign-out, export and erasure. */
export async function showAccount(visit: Visit): Promise<void> {
  const owner = await readOwner(visit);
  const { accounts, paths } = visit;
  if (owner === null) return visit.redirect(paths.login);
  const { record, account } = owner;
  const [plan, devices, ways, browsers] = await Promise.all([
    planSection(visit, account),
    deviceSection(visit, account.operator),
    identitySection(visit, account.operator),
    accounts.sessions.count(account.operator),
  ]);
  visit.page(
    record.codename,
    html`<p class="soft">${record.displayName ?? 'Your operator account'}</p>
${codenameSection(visit, record.codename)}
<h2>Plan</h2>
${plan}
<h2>Devices</h2>
${devices}
${ways}
<h2>Sign out</h2>
${form(visit, paths.signOut, {}, button('Sign out here', 'main'))}
${form(visit, paths.signOutEverywhere, {}, button('Sign out everywhere'))}
<p class="soft">Everywhere means ${browsers === 1 ? 'this browser' : `${browsers} browsers`} and every app and device that you have allowed.</p>
<h2>Export your data</h2>
<p>One JSON file of everything that is stored about you: names, ways to sign in, devices, payments, and your snapshots with their verdicts.</p>
${form(visit, paths.export, {}, button('Export my data'))}
<h2 id="erase">Delete the account</h2>
<p>Your names, addresses, devices and snapshots are erased, and your place on every board. This cannot be undone.</p>
${freshNote(visit)}
${form(
  visit,
  paths.erase,
  {},
  html`<label for="codename">Type your codename to confirm</label>
<input id="codename" name="codename" type="text" autocomplete="off" required maxlength="32">
${button('Delete everything')}`,
)}`,
    { formTargets: [...visit.upstreams.map(({ origin }) => origin), ...visit.paymentOrigins] },
  );
}

/** `POST /account/sign-out`: signs out only this browser. */
export async function signOut(visit: Visit): Promise<void> {
  const { accounts, cookies } = visit;
  const secret = cookies.session(visit.ctx);
  if (secret !== null) await accounts.sessions.end(secret);
  await leave(visit, 'signed_out');
}

/** `POST /account/sign-out-everywhere`: ends every session, and every grant with its tokens. */
export async function signOutEverywhere(visit: Visit): Promise<void> {
  const { accounts, session } = visit;
  if (session !== null) {
    const account = await accounts.byOperator(session.operator);
    await accounts.sessions.endAll(session.operator);
    if (account !== null) await accounts.oidc.revokeSubject(account.subject);
  }
  await leave(visit, 'signed_out_everywhere');
}

async function leave(visit: Visit, kind: 'signed_out' | 'signed_out_everywhere'): Promise<void> {
  const { accounts, session, client } = visit;
  if (session !== null) await accounts.audit.record({ kind, operator: session.operator, client, detail: {} });
  visit.cookies.clearSession(visit.ctx);
  visit.redirect(visit.paths.login);
}

/** `POST /account/erase`: the same as `DELETE /me`. */
export async function eraseAccount(visit: Visit): Promise<void> {
  const session = freshSession(visit, 'erase');
  if (session === null) return;
  const record = await visit.members.byNumber(session.operator);
  if (record === null) return visit.redirect(visit.paths.login);
  if ((visit.form.get('codename') ?? '').trim().toLowerCase() !== record.codename) {
    return visit.problem(400, 'That is not your codename', 'Nothing was deleted.');
  }
  await visit.members.erase(session.operator);
  visit.cookies.clearSession(visit.ctx);
  visit.page(
    'Everything is deleted',
    html`<p>Your names, addresses, devices and snapshots are gone, and your place leaves every board with its next version, in a moment.</p>
<p>Only an anonymous number remains: in boards that are kept for at most 100 days, and in the list of erasures. A subscription ends now; payment records stay for accounting, without a link to you.</p>`,
  );
}

/** A link to the operator's page, and a form to change the codename. */
function codenameSection(visit: Visit, codename: string): Html {
  return html`<p><a href="${visit.siteUrl}/operators/${codename}">Your page on the board</a></p>
${form(
  visit,
  visit.paths.rename,
  {},
  html`<label for="new-codename">New codename</label>
<input id="new-codename" name="new_codename" type="text" autocomplete="off" autocapitalize="none" spellcheck="false" required maxlength="32" aria-describedby="codename-rule">
${button('Change the codename')}`,
)}
<p class="soft" id="codename-rule">3 to 32 letters, digits and hyphens. It can be changed 3 times in 30 days. Your last 3 former codenames stay reserved for 90 days each.</p>`;
}

/** `POST /account/rename`: the same as `PATCH /me` with a codename. */
export async function renameAccount(visit: Visit): Promise<void> {
  const { session } = visit;
  if (session === null) return visit.redirect(visit.paths.login);
  const wanted = (visit.form.get('new_codename') ?? '').trim();
  const renaming = await visit.members.rename(session.operator, wanted, visit.client);
  if (renaming.kind === 'gone') return visit.redirect(visit.paths.login);
  if ('detail' in renaming) {
    const status = { taken: 409, limit: 429, invalid: 400, reserved: 400 }[renaming.kind];
    return visit.problem(status, 'That codename is not available', renaming.detail);
  }
  visit.redirect(visit.paths.account);
}

/** The operator's devices with valid keys, each with a button to revoke it. */
async function deviceSection(visit: Visit, operator: number): Promise<Html> {
  const devices = await visit.accounts.devices.list(operator);
  const live = devices.filter(({ revoked_at }) => revoked_at === null);
  const revoked = devices.length - live.length;
  if (live.length === 0) {
    return html`<p>No device may sign for you${revoked === 0 ? ' yet' : ' now'}. The command-line tool enrols its machine when it first submits.</p>`;
  }
  const rows = live.map(({ kid, name, created_at }) => {
    const short = kid.slice(0, 8);
    const revoke = form(visit, visit.paths.revokeDevice, { device: kid }, button('Revoke', 'small', name ?? short));
    return row(name ?? 'A device without a name', `since ${created_at.slice(0, 10)}, key ${short}`, revoke);
  });
  return html`<ul class="rows">${rows}</ul>
<p class="soft">A revoked key can no longer sign, and cannot be enrolled again. What it submitted stays.</p>`;
}

/** `POST /account/devices/revoke`: the same as `DELETE /devices/{kid}`. */
export async function revokeDevice(visit: Visit): Promise<void> {
  const { session } = visit;
  if (session === null) return visit.redirect(visit.paths.login);
  const revoked = await visit.accounts.devices.revoke(session.operator, visit.form.get('device') ?? '');
  if (!revoked) return visit.problem(404, 'You have no such device', 'Nothing was revoked.');
  visit.redirect(visit.paths.account);
}

/** `POST /account/export`: a download of everything stored about the signed-in operator. */
export async function exportAccount(visit: Visit): Promise<void> {
  const { session, ctx } = visit;
  const found = session === null ? null : await exportMember(visit, session.operator);
  if (found === null) return visit.redirect(visit.paths.login);
  ctx.status = 200;
  ctx.set(pageHeaders());
  // Codenames are letters, digits and hyphens, so they are safe in a header and in a file name.
  ctx.set('Content-Disposition', `attachment; filename="upsilon-${found.codename}.json"`);
  ctx.type = 'application/json; charset=utf-8';
  const stream = Readable.from(found.chunks, { objectMode: false });
  // The status is already sent when a store fails: closing the connection is the only way to signal it.
  stream.once('error', (error) => {
    visit.log.error({ err: error }, 'an account export was aborted');
    ctx.res.destroy();
  });
  ctx.body = stream;
}
