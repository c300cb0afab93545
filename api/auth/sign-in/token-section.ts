import { DAY_MS, readableDay, readableMinute } from '../../../config/units.ts';
import { type DeviceRecord, MAX_AUTOMATION_LIFETIME_MS, MAX_LIVE_DEVICES } from '../../../engine/accounts/index.ts';
import { DeviceName, MAX_LABEL_LENGTH } from '../../../engine/contract/index.ts';
import { type Html, html } from '../../html.ts';
import { button, codeBlock, form, row } from './forms.ts';
import { freshNote, freshSession } from './fresh-session.ts';
import type { Visit } from './visit.ts';

const MAX_DAYS = MAX_AUTOMATION_LIFETIME_MS / DAY_MS;
const USUAL_DAYS = 90;

/** The valid automation tokens, each with a button to revoke it, and a form to make one. */
export function tokenSection(visit: Visit, devices: readonly DeviceRecord[]): Html {
  const rows = devices.flatMap(({ kid, name, automation, revoked_at }) => {
    if (automation === undefined || revoked_at !== null) return [];
    const used =
      automation.used_at === null ? 'never used' : `last used ${readableMinute(Date.parse(automation.used_at))}`;
    const revoke = form(visit, visit.paths.revokeDevice, { device: kid }, button('Revoke', 'small', name ?? ''));
    return row(name ?? '', `${used}, valid until ${readableDay(Date.parse(automation.expires_at))}`, revoke);
  });
  const fields = html`<label for="token-name">What it is for</label>
<input id="token-name" name="token_name" type="text" autocomplete="off" required maxlength="${MAX_LABEL_LENGTH}">
<label for="token-days">Days that it is valid</label>
<input id="token-days" name="days" type="number" min="1" max="${MAX_DAYS}" value="${USUAL_DAYS}" required>
${button('Make a token')}`;
  return html`<p>For a machine without a browser: a server, or a job that runs by itself. A token can submit snapshots for you, and nothing else.</p>
${rows.length === 0 ? null : html`<ul class="rows">${rows}</ul>`}
${freshNote(visit)}
${form(visit, visit.paths.makeToken, {}, fields)}
<p class="soft">Revoking a token takes effect with its next request. What it has submitted stays.</p>`;
}

/** `POST /account/tokens`: makes a token, and shows it this once. */
export async function makeToken(visit: Visit): Promise<void> {
  const session = freshSession(visit, 'tokens');
  const { accounts, members, client, baseUrl, siteUrl } = visit;
  const name = DeviceName.safeParse((visit.form.get('token_name') ?? '').trim());
  const days = Number(visit.form.get('days'));
  if (!name.success) {
    const rule = `Name what it is for, in at most ${MAX_LABEL_LENGTH} visible characters, without the name Upsilon.`;
    return visit.problem(400, 'No token was made', rule);
  }
  if (!Number.isInteger(days) || days < 1 || days > MAX_DAYS) {
    return visit.problem(400, 'No token was made', `A token is valid for 1 to ${MAX_DAYS} days.`);
  }
  const { operator } = session;
  const record = await members.byNumber(operator);
  if (record === null) return visit.redirect(visit.paths.login);
  const request = { operator, name: name.data, lifetimeMs: days * DAY_MS, client };
  const token = await accounts.automationTokens.make(request);
  if (token === null) {
    const rule = `You have ${MAX_LIVE_DEVICES} devices and tokens, or revoked too many. Revoke one that you no longer use.`;
    return visit.problem(409, 'No token was made', rule);
  }
  const body = html`<p>Copy it now: it is not shown again. A person who has it can submit for you until ${readableDay(visit.clock() + request.lifetimeMs)}.</p>
${codeBlock(token, 'Your token')}
<p>Store it as a secret, and set these variables where the tool runs:</p>
${codeBlock(`UPSILON_TOKEN=${token}\nUPSILON_CODENAME=${record.codename}\nUPSILON_BASE_URL=${baseUrl}`, 'Variables')}
<p><a href="${siteUrl}/developers/getting-started#submit-from-a-machine-without-a-browser">How to submit with it</a></p>
<p><a href="${visit.paths.account}#tokens">Back to your account</a></p>`;
  visit.page('Your token', body);
}
