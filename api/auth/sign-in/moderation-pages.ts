import {
  actionsOf,
  CASE_ACTIONS,
  type CaseAction,
  type IntegrityCase,
  isByPeople,
  isEffect,
  MAX_CASE_TEXT_LENGTH,
  REPORT_REASONS,
  REPORTED_RULE,
  REVIEW_RULE,
  readCaseText,
  ruleSentence,
  seenOf,
} from '../../../engine/accounts/index.ts';
import { type Html, html } from '../../html.ts';
import { caseNumbers, evidenceLink, minute, readEvidence } from './case-numbers.ts';
import { ownerOrSignIn, refuse, refuseText } from './case-refusals.ts';
import { button, foldedForm, form, row, textArea } from './forms.ts';
import { decisionList, stateWords } from './integrity-section.ts';
import { REASON_WORDS } from './report-page.ts';
import type { Visit } from './visit.ts';

/** Cases on one page of the queue. */
const PAGE = 20;
const MAX_PAGES = 500;

/** `GET /moderation?of=rules&page=N`: the cases that people wait for, oldest appeals first, or else the findings of rules. */
export async function showQueue(visit: Visit): Promise<void> {
  const moderator = await moderatorOf(visit);
  if (moderator === null) return;
  const { cases } = visit.accounts;
  const of = visit.query.get('of') === 'rules' ? 'rules' : 'people';
  const last = Math.max(1, Math.ceil((await cases.queueLength(moderator, of, MAX_PAGES * PAGE)) / PAGE));
  const wanted = Math.trunc(Number(visit.query.get('page') ?? 1));
  const page = wanted >= 1 ? Math.min(wanted, last) : 1;
  const found = await cases.queue(moderator, of, (page - 1) * PAGE, PAGE);
  const rows = await Promise.all(found.map((each) => queueRow(visit, each)));
  const { moderation, openReview: review } = visit.paths;
  const linkTo = (number: number, words: string): Html =>
    html`<p><a href="${moderation}?${new URLSearchParams({ of, page: String(number) }).toString()}">${words}</a></p>`;
  visit.page(
    'Moderation',
    html`<p class="soft">Cases that wait for a decision about the plausibility of a row. Yours, and rows that you reported, are not here.</p>
${
  of === 'people'
    ? html`<h2>Appeals and reports</h2>
<p><a href="${moderation}?of=rules">Findings of rules</a> without an appeal take effect without a decision.</p>`
    : html`<h2>Findings of rules</h2>
<p><a href="${moderation}">Appeals and reports</a> come first.</p>`
}
${rows.length === 0 ? html`<p>Nothing waits.</p>` : html`<ul class="rows">${rows}</ul>`}
${page > 1 ? linkTo(page - 1, 'Previous page') : null}
${page < last ? linkTo(page + 1, 'Next page') : null}
<h2>Review another row</h2>
${form(
  visit,
  review,
  {},
  html`<label for="codename">Codename</label>
<input id="codename" name="codename" type="text" autocomplete="off" autocapitalize="none" spellcheck="false" required maxlength="32">
${button('Open a review')}`,
)}`,
  );
}

async function queueRow(visit: Visit, found: IntegrityCase): Promise<Html> {
  const codename = await codenameOf(visit, found);
  const { waiting, rule } = found;
  const reports = isByPeople(rule) ? Object.values(await visit.accounts.cases.reportCounts(found.operator)) : [];
  const count = reports.reduce((sum, each) => sum + each, 0);
  const words = waiting?.appeal === true ? 'appeal' : isByPeople(rule) ? reportWords(count) : stateWords(found);
  const since = waiting === undefined ? '' : `, ${minute(waiting.since)}`;
  return row(`${codename}: ${rule}`, `${words}${since}`, openLink(visit, found, `${codename}: ${rule}`));
}

/** A case of people without reports is a moderator's review. */
function reportWords(count: number): string {
  return count === 0 ? 'review' : count === 1 ? '1 report' : `${count} reports`;
}

/** Links with the same label, which `about` distinguishes for screen readers. */
function openLink(visit: Visit, found: IntegrityCase, about: string): Html {
  return html`<a href="${caseAddress(visit, found)}" aria-label="Open ${about}">Open</a>`;
}

/** `GET /moderation/case?id=ID`. */
export async function showCase(visit: Visit): Promise<void> {
  const moderator = await moderatorOf(visit);
  if (moderator === null) return;
  const { cases } = visit.accounts;
  const found = await cases.find(visit.query.get('id') ?? '');
  if (found === null) return refuse(visit, 'case_unknown');
  const refusal = await cases.refusalOf(moderator, found.operator);
  if (refusal !== null) return refuse(visit, refusal);
  const [codename, counts, all] = await Promise.all([
    codenameOf(visit, found),
    cases.reportCounts(found.operator),
    cases.ofOperator(found.operator),
  ]);
  const evidence = await readEvidence(visit, codename);
  const others = all.filter(({ rule }) => rule !== found.rule);
  const { answer, appeal, waiting } = found;
  visit.page(
    `${codename}: ${found.rule}`,
    html`<p>${ruleSentence(found.rule)}</p>
<p class="soft">Found ${minute(found.opened_at)}, in board version ${found.board_version}. At present: ${stateWords(found)}.</p>
${caseNumbers(found, evidence)}
<p><a href="${visit.siteUrl}/operators/${codename}">Profile</a></p>
${evidenceLink(visit, found, codename, evidence)}
${others.length === 0 ? null : html`<h2>Other cases of the row</h2>\n<ul class="rows">${others.map((other) => row(other.rule, stateWords(other), openLink(visit, other, other.rule)))}</ul>`}
<h2>Reports</h2>
${Object.keys(counts).length === 0 ? html`<p>None.</p>` : html`<ul>${REPORT_REASONS.filter((reason) => reason in counts).map((reason) => html`<li>${counts[reason]} × ${REASON_WORDS[reason]}</li>`)}</ul>`}
${answer === null ? null : html`<h2>Answer</h2>\n<p>${answer.text}</p>\n<p class="soft">${minute(answer.at)}${answer.hidden ? ', hidden' : ''}</p>`}
${appeal === null ? null : html`<h2>Appeal</h2>\n<p>${appeal.text}</p>\n<p class="soft">${minute(appeal.at)}${waiting?.appeal === true ? ', waits for an answer' : ', answered'}</p>`}
<h2>Decide</h2>
${decisionList(found, all, moderator)}
${decisionForm(visit, found)}
<p><a href="${visit.paths.moderation}">Back to the queue</a></p>`,
  );
}

const ACTION_WORDS: Readonly<Record<CaseAction, readonly [label: string, meaning: string]>> = {
  void: ['Void the finding', 'The counts are plausible: this rule no longer flags or excludes the row.'],
  exclude: ['Exclude the row', 'The counts are not plausible: the row leaves every board.'],
  restore: ['Leave it to the rules', 'No action: the rules alone decide, and a former decision of this case ends.'],
  hide_answer: ['Hide the answer', 'The answer is not about the numbers. It stays hidden when its author changes it.'],
  show_answer: ['Show the answer', 'The present answer is public again.'],
};

function decisionForm(visit: Visit, found: IntegrityCase): Html {
  const { decided, appealAt, answerAt } = seenOf(found);
  const seen = { id: found._id, decided: `${decided}`, appeal_at: `${appealAt}`, answer_at: `${answerAt}` };
  return form(
    visit,
    visit.paths.decide,
    seen,
    html`${textArea('reason', 'reason', 'Reason')}
<p class="soft">At most ${MAX_CASE_TEXT_LENGTH} characters about the numbers, without links. ${found.rule === REPORTED_RULE ? 'The operator and those who reported the row read it.' : 'The operator reads it.'}</p>
${actionsOf(found).map(actionButton)}`,
  );
}

/** A decision about the row is confirmed: its button is shown when its summary is chosen. */
function actionButton(action: CaseAction): Html {
  const [label, meaning] = ACTION_WORDS[action];
  const confirm = (words: string): Html =>
    html`<p><button type="submit" name="action" value="${action}" class="${action === 'exclude' ? 'danger' : ''}">${words}</button>\n<span class="soft">${meaning}</span></p>`;
  return isEffect(action) ? foldedForm(label, false, confirm(`Confirm: ${label.toLowerCase()}`)) : confirm(label);
}

/** `POST /moderation/decide`. */
export async function decideCase(visit: Visit): Promise<void> {
  const moderator = await moderatorOf(visit);
  if (moderator === null) return;
  const { accounts, ranking, form: fields, client } = visit;
  const id = fields.get('id') ?? '';
  const back = {
    to: `${visit.paths.moderationCase}?${new URLSearchParams({ id }).toString()}`,
    text: 'Back to the case',
  };
  const action = CASE_ACTIONS.find((each) => each === fields.get('action'));
  if (action === undefined) return refuse(visit, 'action_unknown', undefined, back);
  const raw = fields.get('reason') ?? '';
  const read = readCaseText(raw, 'A reason');
  if ('fault' in read) return refuseText(visit, read.fault, raw, back);
  const [decided = 0, appealAt = 0, answerAt = 0] = ['decided', 'appeal_at', 'answer_at'].map(
    (name) => Number(fields.get(name)) || 0,
  );
  const outcome = await accounts.cases.decide(
    { id, by: moderator, action, reason: read.text, seen: { decided, appealAt, answerAt }, client },
    ranking.operators.applyReview,
  );
  if (outcome === 'decided') return visit.redirect(isEffect(action) ? visit.paths.moderation : back.to);
  if (outcome === 'conflict') return refuse(visit, 'case_changed', undefined, back);
  if (outcome === 'unknown') return refuse(visit, (await accounts.cases.find(id)) ? 'action_unknown' : 'case_unknown');
  refuse(visit, outcome);
}

/** `POST /moderation/open`: a case without a finding, to exclude a row that no rule excludes. */
export async function openReview(visit: Visit): Promise<void> {
  const moderator = await moderatorOf(visit);
  if (moderator === null) return;
  const { accounts, board, ranking } = visit;
  const record = await ranking.operators.find((visit.form.get('codename') ?? '').trim());
  const back = { to: visit.paths.moderation, text: 'Back to the queue' };
  if (record === null) return refuse(visit, 'row_unknown', 'No operator has this codename.', back);
  const { operator } = record;
  const refusal = await accounts.cases.refusalOf(moderator, operator);
  if (refusal !== null) return refuse(visit, refusal, undefined, back);
  const { version: boardVersion } = board.view();
  await accounts.cases.open([{ operator, rule: REVIEW_RULE, severity: 'note', boardVersion }]);
  visit.redirect(caseAddress(visit, { _id: `${operator}/${REVIEW_RULE}` }));
}

/** The signed-in moderator's operator number. Otherwise responds and returns null. */
async function moderatorOf(visit: Visit): Promise<number | null> {
  const owner = await ownerOrSignIn(visit);
  if (owner === null) return null;
  if (owner.account.moderator && !owner.account.suspended) return owner.account.operator;
  refuse(visit, 'not_moderator');
  return null;
}

async function codenameOf({ members }: Visit, { operator }: IntegrityCase): Promise<string> {
  return (await members.byNumber(operator))?.codename ?? `operator ${operator}`;
}

function caseAddress({ paths }: Visit, { _id }: Pick<IntegrityCase, '_id'>): string {
  return `${paths.moderationCase}?${new URLSearchParams({ id: _id }).toString()}`;
}
