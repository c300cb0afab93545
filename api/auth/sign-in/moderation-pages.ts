import { LEAGUE_ACTIONS, type League } from '../../../engine/accounts/index.ts';
import { LeagueChange } from '../../../engine/contract/index.ts';
import { COUNT_FIELDS } from '../../../engine/contract/signing/index.ts';
import { heldText } from '../../../engine/contract/unranked.ts';
import {
  actionsOf,
  appealedCase,
  CASE_ACTIONS,
  type CaseAction,
  type IntegrityCase,
  isByPeople,
  isEffect,
  isInEffect,
  MAX_CASE_TEXT_LENGTH,
  minuteText,
  REPORT_REASONS,
  REPORTED_RULE,
  REVIEW_RULE,
  ruleSentence,
  seenOf,
} from '../../../engine/integrity/cases/index.ts';
import type { Measured } from '../../../engine/integrity/index.ts';
import { type Html, html } from '../../html.ts';
import { parseBody } from '../../http/validation-items.ts';
import { caseNumbers, evidenceLink, readEvidence } from './case-numbers.ts';
import { ownerOrSignIn, refuse, textOf } from './case-refusals.ts';
import { button, foldedForm, form, row, textArea } from './forms.ts';
import { decisionList, stateWords } from './integrity-section.ts';
import { fieldsOf, nameField } from './league-pages.ts';
import { REASON_WORDS } from './report-page.ts';
import type { Visit } from './visit.ts';

/** Cases on one page of the queue. */
const PAGE = 20;

const COPY = 'identical-series';

/** Held rows that the page shows. */
const HELD_SHOWN = 20;

/** `GET /moderation?page=N`: the cases that wait, appeals, reports and findings of rules alternate. */
export async function showQueue(visit: Visit): Promise<void> {
  const moderator = await moderatorOf(visit);
  const { cases, page, last } = await visit.accounts.cases.queue(moderator, Number(visit.query.get('page') ?? 1), PAGE);
  const [leagues, rows, held] = await Promise.all([
    visit.accounts.leagues.reported(moderator, PAGE),
    Promise.all(cases.map((each) => queueRow(visit, each))),
    visit.board.held('all_time', HELD_SHOWN),
  ]);
  const { moderation, openReview: review } = visit.paths;
  const linkTo = (number: number, words: string): Html =>
    html`<p><a href="${moderation}?page=${number}">${words}</a></p>`;
  const reviewFields = html`<label for="codename">Codename</label>
<input id="codename" name="codename" type="text" autocomplete="off" autocapitalize="none" spellcheck="false" required maxlength="32">
${button('Open a review')}`;
  const body = html`<p class="soft">Cases that wait for a moderator: appeals, reports and findings of rules in turn, oldest first. Those about you, or about somebody whom you reported, are not here. Findings take effect without a decision.</p>
${rows.length === 0 ? html`<p>Nothing waits.</p>` : html`<ul class="rows">${rows}</ul>`}
${page > 1 ? linkTo(page - 1, 'Previous page') : null}
${page < last ? linkTo(page + 1, 'Next page') : null}
${leagues.length === 0 ? null : html`<h2>Reported leagues</h2>\n${leagues.map((league) => leagueForm(visit, league))}`}
<h2>Operators that are not settled yet</h2>
<p class="soft">${held.total} over all time, highest Yields first. Nothing has to be decided about them.</p>
<ul class="rows">${held.rows.map((each) => row(each.codename, heldText(each.would_be, each.missing), html`<a href="${visit.siteUrl}/operators/${each.codename}" aria-label="Profile of ${each.codename}">Profile</a>`))}</ul>
<h2>Review somebody else</h2>
${form(visit, review, {}, reviewFields)}`;
  visit.page('Moderation', body);
}

function leagueForm(visit: Visit, { slug, name, reports }: League): Html {
  const actions = LEAGUE_ACTIONS.map(
    (action) => html`<button type="submit" name="action" value="${action}">${action}</button>`,
  );
  const fields = form(visit, visit.paths.decideLeague, { league: slug }, html`${nameField(name, slug)}\n${actions}`);
  const board = html`<p><a href="${visit.siteUrl}/league/${slug}">Its board</a></p>`;
  return foldedForm(`${name}: reports: ${reports.length}`, false, html`${board}\n${fields}`);
}

/** `POST /moderation/league`. */
export async function decideLeague(visit: Visit): Promise<void> {
  const moderator = await moderatorOf(visit);
  const { league = '', action, name = '' } = fieldsOf(visit);
  const known = LEAGUE_ACTIONS.find((each) => each === action);
  const named = parseBody({ name }, LeagueChange).name ?? '';
  if (!known || !(await visit.accounts.leagues.moderate(moderator, league, known, named)))
    refuse(visit, 'action_unknown');
  visit.redirect(visit.paths.moderation);
}

async function queueRow(visit: Visit, found: IntegrityCase): Promise<Html> {
  const codename = await codenameOf(visit, found);
  const { waiting, rule } = found;
  const reports = Object.values(await visit.accounts.cases.reportCounts(found.operator));
  const count = reports.reduce((sum, each) => sum + each, 0);
  // A case of people without reports is a moderator's review.
  const byPeople = count === 0 ? 'review' : count === 1 ? '1 report' : `${count} reports`;
  const words = waiting?.kind === 'appeal' ? 'appeal' : isByPeople(rule) ? byPeople : stateWords(found);
  const since = waiting === undefined ? '' : `, ${minuteText(waiting.since)}`;
  return row(`${codename}: ${rule}`, `${words}${since}`, openLink(visit, found, `${codename}: ${rule}`));
}

/** Links with the same label, which `about` distinguishes for screen readers. */
function openLink(visit: Visit, found: IntegrityCase, about: string): Html {
  return html`<a href="${caseAddress(visit, found._id)}" aria-label="Open ${about}">Open</a>`;
}

/** `GET /moderation/case?id=ID`. */
export async function showCase(visit: Visit): Promise<void> {
  const moderator = await moderatorOf(visit);
  const { cases } = visit.accounts;
  const found = await cases.find(visit.query.get('id') ?? '');
  if (found === null) refuse(visit, 'case_unknown');
  const refusal = await cases.refusalOf(moderator, found.operator);
  if (refusal !== null) refuse(visit, refusal);
  const [codename, counts, all] = await Promise.all([
    codenameOf(visit, found),
    cases.reportCounts(found.operator),
    cases.ofOperator(found.operator),
  ]);
  const evidence = await readEvidence(visit, codename);
  const { covered, counts: measured } = await visit.ranking.operators.measured(found.operator);
  const sums = measured
    .split(' ')
    .map((sum, at) => `${Number(sum).toLocaleString('en-US')} ${COUNT_FIELDS[at]?.replace('_', ' ')}`);
  const others = all.filter(({ rule }) => rule !== found.rule);
  const { answer, appeal, waiting } = found;
  const body = html`<p>${ruleSentence(found.rule)}</p>
<p class="soft">Found ${minuteText(found.opened_at)}. At present: ${stateWords(found)}.</p>
${caseNumbers(found, evidence)}
${measured === '' ? null : html`<p>Over all time: ${sums.join(', ')}.</p>`}
${found.rule === COPY ? await rivalList(visit, covered(COPY)) : null}
<p><a href="${visit.siteUrl}/operators/${codename}">Profile</a></p>
${evidenceLink(visit, found, codename, evidence)}
${others.length === 0 ? null : html`<h2>Other cases of this operator</h2>\n<ul class="rows">${others.map((other) => row(other.rule, stateWords(other), openLink(visit, other, other.rule)))}</ul>`}
<h2>Reports</h2>
${Object.keys(counts).length === 0 ? html`<p>None.</p>` : html`<ul>${REPORT_REASONS.filter((reason) => reason in counts).map((reason) => html`<li>${counts[reason]} × ${REASON_WORDS[reason]}</li>`)}</ul>`}
${answer === null ? null : html`<h2>Answer</h2>\n<p>${answer.text}</p>\n<p class="soft">${minuteText(answer.at)}${answer.hidden ? ', hidden' : ''}</p>`}
${appeal === null ? null : html`<h2>Appeal</h2>\n<p>${appeal.text}</p>\n<p class="soft">${minuteText(appeal.at)}${waiting?.kind === 'appeal' ? ', waits for an answer' : ', answered'}</p>`}
<h2>Decide</h2>
${decisionList(found, all, moderator)}
${decisionForm(visit, found, all, covered)}
<p><a href="${visit.paths.moderation}">Back to the queue</a></p>`;
  visit.page(`${codename}: ${found.rule}`, body);
}

const ACTION_WORDS: Readonly<Record<CaseAction, readonly [label: string, meaning: string]>> = {
  void: [
    'Clear the finding',
    'The counts are plausible: this rule no longer holds or excludes the operator, up to twice what this page shows. A copy is cleared of those named above.',
  ],
  exclude: ['Exclude the operator', 'The counts are not plausible: the operator leaves every board.'],
  restore: ['Leave it to the rules', 'No action: the rules alone decide, and a former decision of this case ends.'],
  hide_answer: ['Hide the answer', 'The answer is not about the numbers. It stays hidden when its author changes it.'],
  show_answer: ['Show the answer', 'The present answer is public again.'],
};

function decisionForm(
  visit: Visit,
  found: IntegrityCase,
  all: readonly IntegrityCase[],
  covered: Measured['covered'],
): Html {
  const seen = seenOf(found, all, covered);
  const { rules } = seen;
  const appealed = appealedCase(all) ?? found;
  const isElsewhere = appealed._id !== found._id && isInEffect(found);
  const actions = actionsOf(found).filter((action) => !isElsewhere || !isEffect(action));
  const elsewhere = html`<p>An appeal about all cases in effect waits. ${openLink(visit, appealed, appealed.rule)}</p>`;
  if (actions.length === 0) return elsewhere;
  const shared = html`<p>The decision answers the appeal, for all cases in effect: ${rules.replaceAll(' ', ', ')}.</p>`;
  return form(
    visit,
    visit.paths.decide,
    { id: found._id, ...seen },
    html`${isElsewhere ? elsewhere : rules.includes(' ') ? shared : null}
${textArea('reason', 'reason', 'Reason')}
<p class="soft">At most ${MAX_CASE_TEXT_LENGTH} characters about the numbers, without links. ${found.rule === REPORTED_RULE ? 'The operator and those who reported it read it.' : 'The operator reads it.'}</p>
${actions.map(actionButton)}`,
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
  const { accounts, ranking, form: fields, client } = visit;
  const id = fields.get('id') ?? '';
  const link = { to: caseAddress(visit, id), text: 'Back to the case' };
  const action = CASE_ACTIONS.find((each) => each === fields.get('action'));
  if (action === undefined) refuse(visit, 'action_unknown', { link });
  const reason = textOf(visit, 'reason', 'A reason', link);
  const found = await accounts.cases.find(id);
  if (found === null) refuse(visit, 'case_unknown');
  const { counts } = await ranking.operators.measured(found.operator);
  const request = { id, by: moderator, action, reason, counts, seen: Object.fromEntries(fields), client };
  const outcome = await accounts.cases.decide(request, ranking.operators.applyReview);
  if (outcome === 'decided') return visit.redirect(isEffect(action) ? visit.paths.moderation : link.to);
  if (outcome === 'conflict') refuse(visit, 'case_changed', { link });
  refuse(visit, outcome === 'unknown' ? 'action_unknown' : outcome);
}

/** The rows that had the series of a copy before. */
async function rivalList({ members, siteUrl }: Visit, rivals: readonly number[]): Promise<Html> {
  const found = await Promise.all(rivals.map((rival) => members.byNumber(rival)));
  const links = found.flatMap((rival) =>
    rival === null ? [] : html`<li><a href="${siteUrl}/operators/${rival.codename}">${rival.codename}</a></li>`,
  );
  return links.length === 0 ? html`` : html`<p>Submitted the same before:</p>\n<ul>${links}</ul>`;
}

/** `POST /moderation/open`: a case without a finding, to exclude a row that no rule excludes. */
export async function openReview(visit: Visit): Promise<void> {
  const moderator = await moderatorOf(visit);
  const { accounts, board, ranking } = visit;
  const record = await ranking.operators.find((visit.form.get('codename') ?? '').trim());
  const link = { to: visit.paths.moderation, text: 'Back to the queue' };
  if (record === null) refuse(visit, 'row_unknown', { advice: 'No operator has this codename.', link });
  const { operator } = record;
  const refusal = await accounts.cases.refusalOf(moderator, operator);
  if (refusal !== null) refuse(visit, refusal, { link });
  const { version: boardVersion } = board.view();
  await accounts.cases.open([{ operator, rule: REVIEW_RULE, severity: 'note', boardVersion }]);
  visit.redirect(caseAddress(visit, `${operator}/${REVIEW_RULE}`));
}

/** The signed-in moderator's operator number. Refuses others. */
async function moderatorOf(visit: Visit): Promise<number> {
  const { account } = await ownerOrSignIn(visit);
  if (!account.moderator || account.suspended) refuse(visit, 'not_moderator');
  return account.operator;
}

async function codenameOf({ members }: Visit, { operator }: IntegrityCase): Promise<string> {
  return (await members.byNumber(operator))?.codename ?? `operator ${operator}`;
}

function caseAddress({ paths }: Visit, id: string): string {
  return `${paths.moderationCase}?${new URLSearchParams({ id }).toString()}`;
}
