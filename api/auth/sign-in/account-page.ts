import { Readable } from 'node:stream';
import { DAY_MS } from '../../../config/units.ts';
import type { DeviceRecord } from '../../../engine/accounts/index.ts';
import { MAX_DISPLAY_NAME_LENGTH } from '../../../engine/contract/index.ts';
import { heldText, lackedOf, missingText, unrankedText } from '../../../engine/contract/unranked.ts';
import type { OperatorRecord, UsageAtDay } from '../../../engine/ranking/index.ts';
import { lineChart } from '../../charts/line-chart.ts';
import { type Html, html, NOTHING } from '../../html.ts';
import { exportMember } from '../../members/export-member.ts';
import { pageHeaders } from '../page.ts';
import { button, form, row } from './forms.ts';
import { freshNote, freshSession } from './fresh-session.ts';
import { identitySection } from './identity-section.ts';
import { integritySection } from './integrity-section.ts';
import { letterSection } from './letter-section.ts';
import { planSection } from './plan-pages.ts';
import { tokenSection } from './token-section.ts';
import { readOwner, type Visit } from './visit.ts';

/** `GET /account`: standing, names, weekly letters, plan, devices, automation tokens, ways to sign in, sign-out, export and erasure. */
export async function showAccount(visit: Visit): Promise<void> {
  const owner = await readOwner(visit);
  const { accounts, paths } = visit;
  if (owner === null) return visit.redirect(paths.login);
  const { record, account } = owner;
  const [standing, days, integrity, letters, plan, devices, ways, browsers] = await Promise.all([
    standingSection(visit, record),
    visit.members.usageByDay(account.operator),
    integritySection(visit, account, record.codename),
    letterSection(visit, record),
    planSection(visit, account),
    accounts.devices.list(account.operator),
    identitySection(visit, account.operator),
    accounts.sessions.count(account.operator),
  ]);
  const eraseFields = html`<label for="codename">Type your codename to confirm</label>
<input id="codename" name="codename" type="text" autocomplete="off" required maxlength="32">
${button('Delete my account', 'danger')}`;
  const body = html`<p class="soft">${record.displayName ?? 'Your operator account'}</p>
${standing}
${historyChart(record.codename, days)}
${account.held_until && html`<p>A way to sign in to this account is that of one which was erased while it was excluded: your rows are numbered from ${account.held_until.slice(0, 10)} on.</p>`}
${integrity}
${namesSection(visit, record.displayName)}
${hidingSection(visit, record)}
${letters}
${openingSection(visit, record)}
<h2>Leagues</h2>
<p>A board of your team, your friends or your company: <a href="${paths.leagues}">your leagues</a>.</p>
<h2>Plan</h2>
${plan}
<h2>Devices</h2>
${deviceSection(visit, devices)}
${tokenSection(visit, devices)}
${ways}
<h2>Sign out</h2>
${form(visit, paths.signOut, {}, button('Sign out'))}
${form(visit, paths.signOutEverywhere, {}, button('Sign out everywhere'))}
<p class="soft">Everywhere means ${browsers === 1 ? 'this browser' : `${browsers} browsers`} and every app and device that you allowed. Automation tokens stay valid until you revoke them.</p>
<h2>Export your data</h2>
<p>Download everything that Upsilon stores about you as one JSON file: names, ways to sign in, devices, payments, and your snapshots with their verdicts.</p>
${form(visit, paths.export, {}, button('Export my data'))}
<h2 id="erase">Delete your account</h2>
<p>This erases your names, addresses, devices and snapshots, and removes you from every board, badge and card. Copies that other sites made of pages and pictures are theirs. It cannot be undone. Only if a moderator excluded your row, a keyed hash of each way to sign in is kept for 90 days: until then, an account with the same sign-in is not numbered.</p>
${freshNote(visit)}
${form(visit, paths.erase, {}, eraseFields)}`;
  visit.page(record.codename, body, {
    formTargets: [...visit.upstreams.flatMap(({ origin }) => origin ?? []), ...visit.paymentOrigins],
  });
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
<p>Only an anonymous number remains: in boards that are kept for at most 100 days, and in the list of erasures. Any subscription ends now. Payment records are kept for accounting, without a link to you. Only if a moderator had excluded your row, a keyed hash of each way to sign in is kept for 90 days: until then, an account with the same sign-in is not numbered.</p>`;
  visit.page('Your account is deleted', body);
}

const NUMBER = new Intl.NumberFormat('en-US', { maximumFractionDigits: 2 });

/** Rank, Yield and tier over all time, and a link to the operator's page; what they would be of a row that is on no board. */
async function standingSection({ board, siteUrl }: Visit, record: OperatorRecord): Promise<Html> {
  const { operator, codename, listed, offBoards } = record;
  const standing = (await board.withBoardView((view) => view.ownProfile(operator)))?.windows.all_time;
  const { rank, yield_, class_tier: tier } = standing ?? {};
  if (!listed) {
    const place = rank ?? standing?.would_be ?? null;
    const shown =
      place === null || typeof yield_ !== 'number'
        ? null
        : html` It would be rank <strong>${NUMBER.format(place)}</strong>, Yield <strong>${NUMBER.format(yield_)}</strong>, ${tier}.`;
    return offBoards.includes('hidden')
      ? html`<p>Your row is <strong>hidden</strong>: only you see it, until you <a href="#hide">show it again</a>.${shown}</p>`
      : html`<p>Your row is on no board: the people who run this service took it off.${shown}</p>`;
  }
  const page = html`<p><a href="${siteUrl}/operators/${codename}">Your page on the board</a></p>`;
  if (typeof rank !== 'number' || typeof yield_ !== 'number') {
    if (standing === undefined || standing.unranked === 'no_tokens') {
      return html`<p>You are not ranked yet: submit your first snapshot to join the board.</p>${page}`;
    }
    if (standing.unranked === 'held') {
      return html`<p>Your row is not settled yet: it ${heldText(standing.would_be, standing.missing)}.</p>${page}`;
    }
    const lacks = lackedOf(standing.missing).map(missingText);
    const numbers = lacks.length === 0 ? '' : `: the row ${lacks.join(', and ')}`;
    return html`<p>You are not ranked, because ${unrankedText(standing.unranked)}${numbers}.</p>${page}`;
  }
  const total = board.view().totals.all_time;
  return html`<p>Rank <strong>${NUMBER.format(rank)}</strong> of ${NUMBER.format(total)}, Yield <strong>${NUMBER.format(yield_)}</strong>, ${tier}</p>${page}`;
}

/** The Yield at the end of each submitted day, for its owner alone: in public, exact ratios of past days would be a diary of counts. */
function historyChart(codename: string, days: readonly UsageAtDay[]): Html {
  const points = days.map(({ day, input, output, cache_read }) => ({
    at: day * DAY_MS,
    value: input > 0 ? (cache_read * output) / (input * input) : null,
  }));
  const chart = lineChart({
    id: 'submitted',
    title: `Yield of ${codename} by day`,
    description: 'Yield over all time at the end of each day, from submitted history.',
    ranks: false,
    series: [points],
  });
  if (chart === null) return NOTHING;
  const scale = chart.isLogarithmic ? ', logarithmic scale' : '';
  return html`<figure>${chart.svg}<figcaption class="soft">Your Yield by day, from submitted history${scale}. Only you see it: your public page begins with the first board that has you.</figcaption></figure>`;
}

function namesSection(visit: Visit, displayName: string | null): Html {
  const codenameFields = html`<label for="new-codename">New codename</label>
<input id="new-codename" name="new_codename" type="text" autocomplete="off" autocapitalize="none" spellcheck="false" required maxlength="32" aria-describedby="codename-rule">
${button('Change codename')}`;
  const nameFields = html`<label for="display-name">Display name</label>
<input id="display-name" name="display_name" type="text" value="${displayName}" autocomplete="off" maxlength="${MAX_DISPLAY_NAME_LENGTH}" aria-describedby="display-name-rule">
${button('Save display name')}`;
  return html`<h2>Names</h2>
${form(visit, visit.paths.rename, {}, codenameFields)}
<p class="soft" id="codename-rule">3 to 32 letters, digits and hyphens. You can change it 3 times in 30 days. Your last 3 codenames stay reserved for 90 days each: nobody else can take them during that time.</p>
${form(visit, visit.paths.displayName, {}, nameFields)}
<p class="soft" id="display-name-rule">Optional, and shown next to your codename. Leave it empty to remove it.</p>`;
}

function hidingSection(visit: Visit, { offBoards }: OperatorRecord): Html {
  const isHidden = offBoards.includes('hidden');
  return html`<h2 id="hide">Hide your row</h2>
<p>A hidden row is on no board and no page from the next board on, and takes no place from anybody. Boards of single AI tools leave it out at once and count it until they are next made. For others its codename reads as an unknown one. Your counts, findings and devices stay, and you can submit. You can show the row again at any time, with one change in 24 hours.</p>
<p class="soft">Kept boards have a gap in its place. Copies that others made before show who left, and caches and pictures at other sites follow in their own time.</p>
${form(visit, visit.paths.hide, { hidden: String(!isHidden) }, button(isHidden ? 'Show my row again' : 'Hide my row'))}`;
}

/** `POST /account/hide`: the same as `PATCH /me` with `hidden`. */
export async function hideRow(visit: Visit): Promise<void> {
  const { session } = visit;
  if (session === null) return visit.redirect(visit.paths.login);
  const hiding = await visit.members.hide(session.operator, visit.form.get('hidden') === 'true', visit.client);
  if (hiding.kind === 'limit') return visit.problem(429, 'Nothing was changed', hiding.detail);
  visit.redirect(`${visit.paths.account}#hide`);
}

function openingSection(visit: Visit, { codename, open }: OperatorRecord): Html {
  const pages = `${visit.siteUrl}/developers/open-rows`;
  return html`<h2 id="open">Open your history</h2>
<p>${open ? html`Your history is <strong>open</strong>. ` : ''}Open, anybody can check your row from your signed snapshots: <a href="${pages}">what is served</a>, or <code>upsilon verify ${codename}</code>. It shows the time and the four counts of each submission of the last 100 days, and what older ones came to; the codenames that you had then; your devices’ keys, with when they were added and revoked, but not their names; the tools that you use, with versions of the tool that signed. So it shows when you work, and how much. Others see nothing of it while your row is on no board.</p>
<p class="soft">You can close it at any time, and it is served no more from then on. Copies that others made cannot be recalled.</p>
${form(visit, visit.paths.open, { open: String(!open) }, button(open ? 'Close my history' : 'Open my history'))}`;
}

/** `POST /account/open`: opens the history, or closes it. */
export async function openRow(visit: Visit): Promise<void> {
  const { session } = visit;
  if (session === null) return visit.redirect(visit.paths.login);
  await visit.members.setOpen(session.operator, visit.form.get('open') === 'true', visit.client);
  visit.redirect(`${visit.paths.account}#open`);
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
  visit.redirect(visit.paths.account);
}

/** `POST /account/display-name`: the same as `PATCH /me` with a display name; an empty field removes it. */
export async function nameAccount(visit: Visit): Promise<void> {
  const { session } = visit;
  if (session === null) return visit.redirect(visit.paths.login);
  const wanted = (visit.form.get('display_name') ?? '').trim().normalize('NFC');
  const naming = await visit.members.setDisplayName(session.operator, wanted === '' ? null : wanted);
  if (naming.kind === 'invalid') return visit.problem(400, 'Your display name was not changed', naming.detail);
  visit.redirect(visit.paths.account);
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
    return row(name ?? 'Unnamed device', `added ${created_at.slice(0, 10)}, key ${short}`, revoke);
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
