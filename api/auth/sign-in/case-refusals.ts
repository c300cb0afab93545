import { MAX_REPORTS_PER_DAY, readCaseText } from '../../../engine/integrity/cases/index.ts';
import { type Html, html } from '../../html.ts';
import { readOwner, signInFirst, type Visit } from './visit.ts';

/** Refusals of reports, answers, appeals and decisions, by stable code. */
const REFUSALS = {
  not_moderator: [403, 'This page is for moderators', 'Your account has no moderator role.'],
  own_row: [403, 'This is you', 'Somebody else has to report or review it.'],
  reported_by_you: [403, 'You reported this operator', 'A moderator who did not report it has to decide.'],
  case_unknown: [404, 'There is no such case', 'It may have been erased with its operator.'],
  case_changed: [409, 'The case has changed', 'Nothing was changed. Open it again to see what happened.'],
  action_unknown: [400, 'This is not possible', 'Nothing was changed. Open the case again.'],
  text_invalid: [400, 'This text cannot be used', 'Nothing was changed.'],
  row_unknown: [404, 'There is no such operator', 'No ranked operator has this codename.'],
  not_ranked: [
    403,
    'You cannot report anybody yet',
    'Operators who are ranked, and no longer provisional, can report numbers.',
  ],
  already_reported: [409, 'You reported this operator before', 'Your account page shows what became of it.'],
  report_limit: [429, 'No more reports today', `You can report ${MAX_REPORTS_PER_DAY} operators a day, in UTC.`],
} as const;

/** Shows a refusal, and ends the request. `more` follows the advice. */
export function refuse(
  visit: Visit,
  code: keyof typeof REFUSALS,
  own: { readonly advice?: string; readonly link?: Visit['back']; readonly more?: Html } = {},
): never {
  const [status, title, usual] = REFUSALS[code];
  const { advice = usual, link = visit.back, more } = own;
  return visit.problem(status, title, advice, link, html`${more}<p class="soft">Code: <code>${code}</code></p>`);
}

/** A text of the form. Refuses it with itself: browsers do not restore what was typed on a page that is not stored. */
export function textOf(visit: Visit, name: string, subject: string, link = visit.back): string {
  const typed = visit.form.get(name) ?? '';
  const read = readCaseText(typed, subject);
  if ('text' in read) return read.text;
  const more = html`<label for="typed">What you wrote</label>
<textarea id="typed" rows="6" readonly>${typed}</textarea>`;
  refuse(visit, 'text_invalid', { advice: read.fault, link, more });
}

/** The signed-in operator. Without one, the browser signs in and comes back to this page. */
export async function ownerOrSignIn(visit: Visit) {
  const { ctx, paths } = visit;
  const here = ctx.method === 'POST' ? paths.account : `${ctx.path}${ctx.search}`;
  return (await readOwner(visit)) ?? signInFirst(visit, here);
}
