import { MAX_REPORTS_PER_DAY, REPORT_REASONS, type ReportReason } from '../../../engine/integrity/cases/index.ts';
import { type Html, html } from '../../html.ts';
import { ownerOrSignIn, refuse } from './case-refusals.ts';
import { button, form } from './forms.ts';
import { reportRow } from './integrity-section.ts';
import type { Visit } from './visit.ts';

/** What a report says: about numbers, never about people. */
export const REASON_WORDS: Readonly<Record<ReportReason, string>> = {
  counts: 'More than the tools can produce',
  timing: 'Growth that does not fit its time',
  duplicate: 'The same counts as somebody else',
};

/** `GET /account/report?operator=CODENAME`: the website links here. */
export async function showReport(visit: Visit): Promise<void> {
  const { report, codename } = await readReported(visit, visit.query);
  if (report !== null) {
    const state = await reportRow(visit, report);
    return visit.page('You reported this operator', html`<ul class="rows">${state}</ul>\n${rowLink(visit, codename)}`);
  }
  const reportFields = html`<label for="reason">What is not plausible</label>
<select id="reason" name="reason" required><option value="">Choose a reason</option>${REPORT_REASONS.map((reason) => html`<option value="${reason}">${REASON_WORDS[reason]}</option>`)}</select>
${button('Report', 'main')}`;
  const body = html`<p>About <a href="${visit.siteUrl}/operators/${codename}">${codename}</a>. A report asks a moderator to look at the numbers. It changes nothing by itself, and its author is not shown to the operator.</p>
${form(visit, visit.paths.report, { operator: codename }, reportFields)}
<p class="soft">You can report an operator once, and ${MAX_REPORTS_PER_DAY} operators a day.</p>`;
  visit.page('Report implausible numbers', body);
}

/** `POST /account/report`. */
export async function sendReport(visit: Visit): Promise<void> {
  const { accounts, board, form: fields } = visit;
  const { reporter, operator, codename } = await readReported(visit, fields);
  const reason = REPORT_REASONS.find((each) => each === fields.get('reason'));
  if (reason === undefined) refuse(visit, 'action_unknown', { advice: 'Choose what is not plausible.' });
  const { version: boardVersion } = board.view();
  const outcome = await accounts.cases.report({ reporter, operator, reason, boardVersion });
  if (outcome === 'decided') {
    const shown = new URLSearchParams({ operator: codename });
    return visit.redirect(`${visit.paths.report}?${shown.toString()}`);
  }
  if (outcome !== 'reported') refuse(visit, UNREPORTED[outcome]);
  const body = html`<p>A moderator will look at the numbers of ${codename}. <a href="${visit.paths.account}#integrity">Your account page</a> will show the decision.</p>
${rowLink(visit, codename)}`;
  visit.page('Thank you', body);
}

const UNREPORTED = { own: 'own_row', already: 'already_reported', limit: 'report_limit' } as const;

function rowLink({ siteUrl }: Visit, codename: string): Html {
  return html`<p><a href="${siteUrl}/operators/${codename}">Back to the operator</a></p>`;
}

/** Who reports whom, with an earlier report. Refuses unless both have a row, or it is reported already. */
async function readReported(visit: Visit, fields: URLSearchParams) {
  const { record, account } = await ownerOrSignIn(visit);
  const { board, ranking } = visit;
  const own = (await board.profile(record.codename))?.windows.all_time;
  if (own === undefined || own.rank === null || own.provisional) refuse(visit, 'not_ranked');
  const wanted = await ranking.operators.find(fields.get('operator') ?? '');
  const profile = wanted?.listed === true ? await board.profile(wanted.codename) : null;
  if (wanted === null || profile === null) refuse(visit, 'row_unknown');
  const { operator, codename } = wanted;
  const reporter = account.operator;
  if (operator === reporter) refuse(visit, 'own_row');
  const report = await visit.accounts.cases.findReport(reporter, operator);
  const isRanked = Object.values(profile.windows).some(({ rank }) => rank !== null);
  if (report === null && !isRanked) refuse(visit, 'row_unknown');
  return { reporter, operator, codename, report };
}
