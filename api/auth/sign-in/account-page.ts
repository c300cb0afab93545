import { Readable } from 'node:stream';
import { readableDay } from '../../../config/units.ts';
import type { DeviceRecord } from '../../../engine/accounts/index.ts';
import { MAX_DISPLAY_NAME_LENGTH } from '../../../engine/contract/index.ts';
import type { OperatorRecord } from '../../../engine/ranking/index.ts';
import { type Html, html } from '../../html.ts';
import { exportMember } from '../../members/export-member.ts';
import { pageHeaders } from '../page.ts';
import { doneNote, showDone } from './account-done.ts';
import { appSection } from './app-section.ts';
import { button, form, row } from './forms.ts';
import { freshNote, freshSession } from './fresh-session.ts';
import { identitySection } from './identity-section.ts';
import { integritySection } from './integrity-section.ts';
import { letterSection } from './letter-section.ts';
import { planSection } from './plan-pages.ts';
import { tokenSection } from './token-section.ts';
import { readOwner, type Visit } from './visit.ts';

/** `GET /account`: a menu of sections, and the sections. What was just changed is said in its section. */
export async function showAccount(visit: Visit): Promise<void> {
  const owner = await readOwner(visit);
  const { accounts, paths } = visit;
  if (owner === null) return visit.redirect(paths.login);
  const { record, account } = owner;
  const { operator } = account;
  const [standing, integrity, letters, plan, devices, ways, apps, browsers] = await Promise.all([
    visit.standing(record),
    integritySection(visit, account, record.codename),
    letterSection(visit, record),
    planSection(visit, account),
    accounts.devices.list(operator),
    identitySection(visit, operator),
    appSection(visit, account),
    accounts.sessions.count(operator),
  ]);
  const held =
    account.held_until &&
    html`<p>A way to sign in to this account is that of one which was erased while it was excluded: you are numbered from ${readableDay(Date.parse(account.held_until))} on.</p>`;
  const leagues = html`<p>A board of your team, your friends or your company: <a href="${paths.leagues}">your leagues</a>.</p>`;
  const sections: readonly (readonly [id: string, label: string, content: Html | null])[] = [
    ['standing', 'Your standing', html`${standing}${held}`],
    ['integrity', 'Findings', integrity],
    ['names', 'Names', namesSection(visit, record.displayName)],
    ['devices', 'Devices', deviceSection(visit, devices)],
    ['apps', 'Apps', apps],
    ['tokens', 'Automation tokens', tokenSection(visit, devices)],
    ['letters', 'Weekly letter', letters],
    ['leagues', 'Leagues', leagues],
    ['plan', 'Plan', plan],
    ['ways', 'Ways to sign in', ways],
    ['hide', 'Hide yourself', hidingSection(visit, record)],
    ['open', 'Open your history', openingSection(visit, record)],
    ['leave', 'Sign out', signOutSection(visit, browsers)],
    ['export', 'Export', exportSection(visit)],
    ['erase', 'Delete your account', eraseSection(visit)],
  ];
  const shown = sections.filter(([, , content]) => content !== null);
  const body = html`<p class="soft">${record.displayName ?? 'Your operator account'}</p>
<div class="with-menu">
<nav class="menu" aria-label="Your account"><ul>${shown.map(([id, label]) => html`<li><a href="#${id}">${label}</a></li>`)}</ul></nav>
<div>${shown.map(([id, label, content]) => html`<section><h2 id="${id}">${label}</h2>${doneNote(visit, id)}${content}</section>\n`)}</div>
</div>`;
  visit.page(record.codename, body, {
    width: 'tables',
    formTargets: [...visit.upstreams.flatMap(({ origin }) => origin ?? []), ...visit.paymentOrigins],
  });
}

function signOutSection(visit: Visit, browsers: number): Html {
  return html`${form(visit, visit.paths.signOut, {}, button('Sign out'))}
${form(visit, visit.paths.signOutEverywhere, {}, button('Sign out everywhere'))}
<p class="soft">Everywhere means ${browsers === 1 ? 'this browser' : `${browsers} browsers`} and every app and device that you allowed. Automation tokens stay valid until you revoke them.</p>`;
}

function exportSection(visit: Visit): Html {
  return html`<p>One JSON file with everything that is stored about you: names, ways to sign in, devices, payments, and your submissions with what became of them.</p>
${form(visit, visit.paths.export, {}, button('Export my data'))}`;
}

function eraseSection(visit: Visit): Html {
  const fields = html`<label for="codename">Type your codename to confirm</label>
<input id="codename" name="codename" type="text" autocomplete="off" required maxlength="32">
${button('Delete my account', 'danger')}`;
  return html`<p>This erases your names, addresses, devices and submissions, and removes you from every board, badge and card. It cannot be undone, and copies that other sites made are out of reach. Only if a moderator excluded you, a keyed hash of each way to sign in is kept for 90 days: until then, an account with the same sign-in is not numbered.</p>
${freshNote(visit)}
${form(visit, visit.paths.erase, {}, fields)}`;
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
  const record = await visit.members.byNumber(session.operator);
  if (record === null) return visit.redirect(visit.paths.login);
  if ((visit.form.get('codename') ?? '').trim().toLowerCase() !== record.codename) {
    return visit.problem(400, 'That is not your codename', 'Nothing was deleted.');
  }
  await visit.members.erase(session.operator);
  visit.cookies.clearSession(visit.ctx);
  const body = html`<p>Your names, addresses, devices and snapshots are gone, and you will disappear from every board in a moment.</p>
<p>Only an anonymous number remains: in boards that are kept for at most 100 days, and in the list of erasures. Any subscription ends now. Payment records are kept for accounting, without a link to you. Only if a moderator had excluded you, a keyed hash of each way to sign in is kept for 90 days: until then, an account with the same sign-in is not numbered.</p>`;
  visit.page('Your account is deleted', body);
}

function namesSection(visit: Visit, displayName: string | null): Html {
  const codenameFields = html`<label for="new-codename">New codename</label>
<input id="new-codename" name="new_codename" type="text" autocomplete="off" autocapitalize="none" spellcheck="false" required maxlength="32" aria-describedby="codename-rule">
${button('Change codename')}`;
  const nameFields = html`<label for="display-name">Display name</label>
<input id="display-name" name="display_name" type="text" value="${displayName}" autocomplete="off" maxlength="${MAX_DISPLAY_NAME_LENGTH}" aria-describedby="display-name-rule">
${button('Save display name')}`;
  return html`${form(visit, visit.paths.rename, {}, codenameFields)}
<p class="soft" id="codename-rule">3 to 32 letters, digits and hyphens. You can change it 3 times in 30 days. Your last 3 codenames stay reserved for 90 days each: no other operator can take them during that time.</p>
${form(visit, visit.paths.displayName, {}, nameFields)}
<p class="soft" id="display-name-rule">Optional, and shown next to your codename. Leave it empty to remove it.</p>`;
}

function hidingSection(visit: Visit, { offBoards }: OperatorRecord): Html {
  const isHidden = offBoards.includes('hidden');
  return html`<p>${isHidden ? html`You are <strong>hidden</strong>. ` : ''}From the next board on, you are on no board and have no page, and you take no place from others: your codename reads as an unknown one. What you submitted stays, and you can go on submitting. You can show yourself again at any time, with one change in 24 hours.</p>
<p class="soft">Former boards have a gap in your place. Boards of single AI tools count you until they are next made. Copies that others made before show who left, and pictures at other sites follow in their own time.</p>
${form(visit, visit.paths.hide, { hidden: String(!isHidden) }, button(isHidden ? 'Show me again' : 'Hide me'))}`;
}

/** `POST /account/hide`: the same as `PATCH /me` with `hidden`. */
export async function hideRow(visit: Visit): Promise<void> {
  const { session } = visit;
  if (session === null) return visit.redirect(visit.paths.login);
  const isHidden = visit.form.get('hidden') === 'true';
  const hiding = await visit.members.hide(session.operator, isHidden, visit.client);
  if (hiding.kind === 'limit') return visit.problem(429, 'Nothing was changed', hiding.detail);
  showDone(visit, isHidden ? 'hidden' : 'shown');
}

function openingSection(visit: Visit, { codename, open }: OperatorRecord): Html {
  const pages = `${visit.siteUrl}/developers/open-rows`;
  return html`<p>${open ? html`Your history is <strong>open</strong>. ` : ''}Once it is open, anybody can check your place from what you signed: <a href="${pages}">what is served</a>, or <code>upsilon verify ${codename}</code>. It shows the time and the four counts of each submission of the last 100 days, and what older ones came to; the codenames that you had then; your devices’ keys, with when they were added and revoked, but not their names; the tools that you use, with versions of the tool that signed. So it shows when you work, and how much. Others see nothing of it while you are on no board.</p>
<p class="soft">You can close it at any time, and it is served no more from then on. Copies that others made cannot be recalled.</p>
${form(visit, visit.paths.open, { open: String(!open) }, button(open ? 'Close my history' : 'Open my history'))}`;
}

/** `POST /account/open`: opens the history, or closes it. */
export async function openRow(visit: Visit): Promise<void> {
  const { session } = visit;
  if (session === null) return visit.redirect(visit.paths.login);
  const isOpen = visit.form.get('open') === 'true';
  await visit.members.setOpen(session.operator, isOpen, visit.client);
  showDone(visit, isOpen ? 'opened' : 'closed');
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
    return visit.problem(status, 'Your codename was not changed', renaming.detail);
  }
  showDone(visit, 'renamed');
}

/** `POST /account/display-name`: the same as `PATCH /me` with a display name; an empty field removes it. */
export async function nameAccount(visit: Visit): Promise<void> {
  const { session } = visit;
  if (session === null) return visit.redirect(visit.paths.login);
  const wanted = (visit.form.get('display_name') ?? '').trim().normalize('NFC');
  const naming = await visit.members.setDisplayName(session.operator, wanted === '' ? null : wanted);
  if (naming.kind === 'invalid') return visit.problem(400, 'Your display name was not changed', naming.detail);
  showDone(visit, 'named');
}

/** The operator's devices with valid keys, each with a button to revoke it. */
function deviceSection(visit: Visit, all: readonly DeviceRecord[]): Html {
  const devices = all.filter(({ automation }) => automation === undefined);
  const live = devices.filter(({ revoked_at }) => revoked_at === null);
  const revoked = devices.length - live.length;
  if (live.length === 0) {
    return html`<p>No device can sign for you${revoked === 0 ? ' yet' : ' at the moment'}. The command-line tool registers its machine the first time it submits.</p>`;
  }
  const rows = live.map(({ kid, name, created_at }) => {
    const short = kid.slice(0, 8);
    const revoke = form(visit, visit.paths.revokeDevice, { device: kid }, button('Revoke', 'small', name ?? short));
    return row(name ?? 'Unnamed device', `added ${readableDay(Date.parse(created_at))}, key ${short}`, revoke);
  });
  return html`<ul class="rows">${rows}</ul>
<p class="soft">A revoked key can no longer sign, and cannot be registered again. What it has submitted stays.</p>`;
}

/** `POST /account/devices/revoke`: the same as `DELETE /devices/{kid}`. */
export async function revokeDevice(visit: Visit): Promise<void> {
  const { session } = visit;
  if (session === null) return visit.redirect(visit.paths.login);
  const revoked = await visit.accounts.devices.revoke(session.operator, visit.form.get('device') ?? '');
  if (!revoked) return visit.problem(404, 'You do not have this device', 'Nothing was revoked.');
  showDone(visit, 'device_revoked');
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
