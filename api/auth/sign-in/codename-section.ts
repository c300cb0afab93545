import { type Html, html } from '../../html.ts';
import type { SignInContext } from './context.ts';
import { button, form } from './forms.ts';
import { PATHS, pathOf } from './paths.ts';
import { showProblem } from './problem-pages.ts';
import type { Visit } from './visit.ts';

/** A link to the operator's page, and a form to change the codename. */
export function codenameSection(context: SignInContext, visit: Visit, codename: string): Html {
  return html`<p><a href="${context.siteUrl}/operators/${codename}">Your page on the board</a></p>
${form(
  visit,
  pathOf(context, PATHS.rename),
  {},
  html`<label for="new-codename">New codename</label>
<input id="new-codename" name="new_codename" type="text" autocomplete="off" autocapitalize="none" spellcheck="false" required maxlength="32" aria-describedby="codename-rule">
${button('Change the codename')}`,
)}
<p class="soft" id="codename-rule">3 to 32 letters, digits and hyphens. It can be changed 3 times in 30 days. Your last 3 former codenames stay reserved for 90 days each.</p>`;
}

/** `POST /account/rename`: the same as `PATCH /me` with a codename. */
export async function renameAccount(context: SignInContext, visit: Visit): Promise<void> {
  const { session } = visit;
  if (session === null) return visit.redirect(pathOf(context, PATHS.login));
  const wanted = (visit.form.get('new_codename') ?? '').trim();
  const renaming = await context.members.rename(session.operator, wanted, visit.client);
  if (renaming.kind === 'gone') return visit.redirect(pathOf(context, PATHS.login));
  if ('detail' in renaming) {
    const status = { taken: 409, limit: 429, invalid: 400, reserved: 400 }[renaming.kind];
    return showProblem(visit, status, 'That codename is not available', renaming.detail);
  }
  visit.redirect(pathOf(context, PATHS.account));
}
