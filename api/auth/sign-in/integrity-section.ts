import { type Account } from '../../../engine/accounts/index.ts';
import {
  appealedCase,
  appealFrom,
  caseRemedy,
  dayText,
  decisionSentence,
  hasEffect,
  type IntegrityCase,
  type IntegrityReport,
  isByPeople,
  isInEffect,
  isShownToOperator,
  MAX_CASE_TEXT_LENGTH,
  minuteText,
  reportOutcome,
  ruleSentence,
  ruleWords,
} from '../../../engine/integrity/cases/index.ts';
import { SEVERITIES } from '../../../engine/integrity/index.ts';
import type { Evidence } from '../../../engine/ranking/index.ts';
import { type Html, html } from '../../html.ts';
import { showDone } from './account-done.ts';
import { caseNumbers, evidenceLink, readEvidence, ruleNumbers } from './case-numbers.ts';
import { ownerOrSignIn, refuse, textOf } from './case-refusals.ts';
import { button, foldedForm, form, row, textArea } from './forms.ts';
import type { Visit } from './visit.ts';

/** Reports shown to their author. */
const REPORTS_SHOWN = 10;

const SEVERITY_WORDS = {
  note: 'a note',
  hold: 'no number meanwhile',
  exclude: 'an exclusion from the boards',
} as const;

/** The operator's cases with forms to answer and to appeal, and what became of its reports; null without either. */
export async function integritySection(visit: Visit, account: Account, codename: string): Promise<Html | null> {
  const { cases } = visit.accounts;
  const [all, reports, made] = await Promise.all([
    cases.ofOperator(account.operator),
    cases.reportsBy(account.operator, REPORTS_SHOWN),
    cases.reportsMade(account.operator),
  ]);
  const shown = all.filter(isShownToOperator).toSorted((one, other) => weightOf(other) - weightOf(one));
  const [reported, evidence, { counts }] = await Promise.all([
    Promise.all(reports.map((report) => reportRow(visit, report))),
    readEvidence(visit, codename),
    visit.ranking.operators.measured(account.operator),
  ]);
  const moderation = account.moderator
    ? html`<p><a href="${visit.paths.moderation}">Cases that wait for a moderator</a></p>`
    : null;
  // A finding takes effect at once, and its case opens within minutes.
  const fresh = [...new Set(evidence.map(({ rule }) => rule))].filter(
    (rule) => !all.some((each) => each.rule === rule),
  );
  if (shown.length + fresh.length + reported.length === 0) return moderation;
  return html`${moderation}
${fresh.map(
  (
    rule,
  ) => html`<h3>${ruleWords(rule)}</h3>\n<p>${ruleSentence(rule)} Within minutes you can answer and appeal here.</p>
${ruleNumbers(evidence.filter((each) => each.rule === rule))}`,
)}
${shown.map((found) => caseBlock(visit, found, all, codename, evidence))}
${appealBlock(visit, all, counts)}
${reported.length === 0 ? null : html`<h3>Operators that you reported</h3>\n<ul class="rows">${reported}</ul>`}
${made > reported.length ? html`<p class="soft">The newest ${reported.length} of ${made} reports. Your data export lists all.</p>` : null}`;
}

function caseBlock(
  visit: Visit,
  found: IntegrityCase,
  all: readonly IntegrityCase[],
  codename: string,
  evidence: readonly Evidence[],
): Html {
  const { rule, opened_at, answer, appeal, waiting } = found;
  const appealed = appealedCase(all);
  const isAppealed = appealed !== undefined && (appealed === found || isInEffect(found));
  const about = `about ${ruleWords(rule)}`;
  const answerFields = html`${textArea(`answer-${rule}`, 'text', 'Your answer', answer?.text, false)}
<p class="soft">At most ${MAX_CASE_TEXT_LENGTH} characters without links, public beside the evidence. Leave it empty to remove it.${answer?.hidden === true ? ' A moderator has hidden it.' : ''}</p>
${button('Save the answer', '', about)}`;
  return html`<h3>${ruleWords(rule)}</h3>
<p>${ruleSentence(rule)} Found on ${dayText(opened_at)}. At present: ${stateWords(found)}.</p>
${caseNumbers(found, evidence)}
${evidenceLink(visit, found, codename, evidence)}
${decisionList(found, all, found.operator)}
${
  isInEffect(found) && !isAppealed
    ? html`<p>${caseRemedy(rule, found.state === 'confirmed')
        .split('`')
        .map((piece, at) => (at % 2 === 1 ? html`<code>${piece}</code>` : piece))}</p>`
    : null
}
${foldedForm('Answer', answer !== null, form(visit, visit.paths.answer, { rule }, answerFields), about)}
${appeal === null || waiting?.kind === 'appeal' ? null : html`<p>You appealed on ${dayText(appeal.at)}, answered: ${appeal.text}</p>`}
${isAppealed ? html`<p>Your appeal of ${dayText(appealed.appeal!.at)} waits for a moderator.</p>` : null}`;
}

/** The one appeal about all cases in effect: what was written, the form, or from when on it can be sent. */
function appealBlock(visit: Visit, all: readonly IntegrityCase[], counts: string): Html | null {
  const waiting = appealedCase(all)?.appeal;
  if (waiting) {
    return html`<h3>Your appeal</h3>
<p>You appealed on ${dayText(waiting.at)}: ${waiting.text}</p>
<p>A moderator will decide all cases in effect at once, and the reason will be here.</p>`;
  }
  const from = appealFrom(all, counts);
  if (from === null) return null;
  if (from > visit.clock()) {
    return html`<p>Your appeal was decided. You can appeal again from ${dayText(new Date(from))} on, or once your counts have changed.</p>`;
  }
  const fields = html`${textArea('appeal', 'text', 'What a moderator should look at')}
<p class="soft">One appeal, about all cases in effect.</p>
${button('Appeal')}`;
  return foldedForm('Appeal', false, form(visit, visit.paths.appeal, {}, fields));
}

/** Exclusions come before flags, and these before notes and cases without an effect. */
function weightOf(found: IntegrityCase): number {
  if (!isInEffect(found)) return -1;
  return SEVERITIES.indexOf(found.state === 'confirmed' ? 'exclude' : found.severity);
}

/** What a case comes to at present. */
export function stateWords({ state, severity, rule, closed_at }: IntegrityCase): string {
  if (closed_at !== undefined) return `closed on ${dayText(closed_at)}`;
  if (state === 'void') return 'voided';
  if (state === 'confirmed') return SEVERITY_WORDS.exclude;
  return isByPeople(rule) ? 'no effect' : SEVERITY_WORDS[severity];
}

/** What moderators decided, oldest first, without their names: `reader` is the operator who reads it. */
export function decisionList(
  { rule, decisions }: IntegrityCase,
  all: readonly IntegrityCase[],
  reader: number,
): Html | null {
  if (decisions.length === 0) return null;
  const last = decisions.findLast(hasEffect);
  return html`<ul class="rows">${decisions.map((decision) => {
    const { action, at, by, reason } = decision;
    const words = decisionSentence(action, rule, decision === last ? all : []);
    return row(words, `${minuteText(at)}${by === reader ? ', by you' : ''}: ${reason}`);
  })}</ul>`;
}

/** A report for its author: when it was made, and what became of it. */
export async function reportRow({ accounts, members }: Visit, { operator, at }: IntegrityReport): Promise<Html> {
  const [record, cases] = await Promise.all([members.byNumber(operator), accounts.cases.ofOperator(operator)]);
  const outcome = reportOutcome(cases, at) ?? 'No decision yet.';
  return row(
    record?.listed === true ? record.codename : 'an operator that left the boards',
    `Reported on ${dayText(at)}. ${outcome}`,
  );
}

/** `POST /account/integrity/answer`: an empty text removes the answer. */
export async function answerCase(visit: Visit): Promise<void> {
  const { account } = await ownerOrSignIn(visit);
  const { form: fields, accounts } = visit;
  const found = await accounts.cases.find(`${account.operator}/${fields.get('rule') ?? ''}`);
  if (found === null || !isShownToOperator(found)) refuse(visit, 'case_unknown');
  const text = (fields.get('text') ?? '').trim() === '' ? null : textOf(visit, 'text', 'An answer');
  if (!(await accounts.cases.setAnswer(found._id, text))) refuse(visit, 'case_changed');
  showDone(visit, 'answered');
}

/** `POST /account/integrity/appeal`: one for all cases in effect. */
export async function appealCase(visit: Visit): Promise<void> {
  const { operator } = (await ownerOrSignIn(visit)).account;
  const { accounts, ranking } = visit;
  const all = await accounts.cases.ofOperator(operator);
  const [found] = all.filter(isInEffect).toSorted((one, other) => weightOf(other) - weightOf(one));
  if (found === undefined) refuse(visit, 'case_changed');
  const text = textOf(visit, 'text', 'An appeal');
  const { counts } = await ranking.operators.measured(operator);
  if (!(await accounts.cases.appeal(found, text, counts))) refuse(visit, 'case_changed');
  showDone(visit, 'appealed');
}
