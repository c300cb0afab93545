import { type Html, html } from '../../html.ts';
import type { SignInContext } from './context.ts';
import { button, form } from './forms.ts';
import { PATHS, pathOf } from './paths.ts';
import { showProblem } from './problem-pages.ts';
import type { Visit } from './visit.ts';

/** The operator's devices with valid keys, each with a button to revoke it. */
export async function deviceSection(context: SignInContext, visit: Visit, operator: number): Promise<Html> {
  const devices = await context.accounts.devices.list(operator);
  const live = devices.filter(({ revoked_at }) => revoked_at === null);
  const revoked = devices.length - live.length;
  if (live.length === 0) {
    return html`<p>No device may sign for you${revoked === 0 ? ' yet' : ' now'}. The command-line tool enrols its machine when it first submits.</p>`;
  }
  return html`<ul class="rows">${live.map(
    ({ kid, name, created_at }) =>
      html`<li><span>${name ?? 'A device without a name'}<br><span class="soft">since ${created_at.slice(0, 10)}, key ${kid.slice(0, 8)}</span></span>${form(
        visit,
        pathOf(context, PATHS.revokeDevice),
        { device: kid },
        button('Revoke', 'small', name ?? kid.slice(0, 8)),
      )}</li>`,
  )}</ul>
<p class="soft">A revoked key can no longer sign, and cannot be enrolled again. What it submitted stays.</p>`;
}

/** `POST /account/devices/revoke`: the same as `DELETE /devices/{kid}`. */
export async function revokeDevice(context: SignInContext, visit: Visit): Promise<void> {
  const { session } = visit;
  if (session === null) return visit.redirect(pathOf(context, PATHS.login));
  const revoked = await context.accounts.devices.revoke(session.operator, visit.form.get('device') ?? '');
  if (!revoked) return showProblem(visit, 404, 'You have no such device', 'Nothing was revoked.');
  visit.redirect(pathOf(context, PATHS.account));
}
