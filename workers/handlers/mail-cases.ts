import { DAY_MS } from '../../config/units.ts';
import {
  caseRemedy,
  decisionSentence,
  EVIDENCE_DELAY_WORDS,
  hasEffect,
  type IntegrityCase,
  type IntegrityReport,
  isInEffect,
  minuteText,
  reportOutcome,
  ruleSentence,
} from '../../engine/integrity/cases/index.ts';
import { refusalOf } from '../../ops/runtime/mailer.ts';
import type { HandlerContext } from './context.ts';

/** Cases, and reports, of one run. */
const MAILS = 100;

/** How long a mail is tried, in milliseconds. The account page shows the same. */
const TRIED_FOR_MS = DAY_MS;

type Context = Pick<HandlerContext, 'accounts' | 'ranking' | 'mailer' | 'accountUrl' | 'clock' | 'logThrottled'>;

/**
 * Mails operators about new and decided cases, all of an operator in one mail, and reporters about decisions. A refused address does not
 * stop the others; the run ends when the mail server is away or refuses the service.
 */
export async function mailCases(context: Context): Promise<void> {
  const { cases } = context.accounts;
  const dueNotices = await cases.dueNotices(MAILS);
  for (const operator of new Set(dueNotices.cases.map((found) => found.operator))) {
    const found = dueNotices.cases.filter((one) => one.operator === operator);
    // Oldest first: the newest case decides how long the mail is tried.
    const sent = await send(context, operator, found.at(-1)?.notify_since, () => caseMail(context, operator, found));
    if (sent === 'away') return;
    if (sent === 'later') continue;
    const at = sent === 'sent' ? new Date(context.clock()) : null;
    for (const one of found) await cases.markCaseNotified(one, at);
  }
  for (const report of dueNotices.reports) {
    const sent = await send(context, report.reporter, report.notify_since, () => reportMail(context, report));
    if (sent === 'away') return;
    if (sent === 'later') continue;
    await cases.markReportNotified(report);
  }
}

type Text = { readonly subject: string; readonly text: string };

/** `none`: the operator has no address, or the mail cannot be delivered. */
async function send(
  { accounts, mailer, clock, logThrottled }: Context,
  operator: number,
  since: Date | undefined,
  write: () => Promise<Text | null>,
): Promise<'sent' | 'none' | 'later' | 'away'> {
  if (mailer === null || since === undefined || clock() - since.getTime() > TRIED_FOR_MS) return 'none';
  const [to] = await accounts.identities.addressesOf(operator);
  const mail = to === undefined ? null : await write();
  if (to === undefined || mail === null) return 'none';
  try {
    await mailer.send({ to, ...mail });
    return 'sent';
  } catch (error) {
    logThrottled(error);
    const refusal = refusalOf(error);
    if (refusal === 'silence' || refusal === 'of_service') return 'away';
    return refusal === 'for_a_time' ? 'later' : 'none';
  }
}

async function caseMail(
  { accounts, ranking, accountUrl, clock }: Context,
  operator: number,
  cases: readonly IntegrityCase[],
): Promise<Text | null> {
  const codename = (await ranking.operators.byNumber(operator))?.codename;
  if (codename === undefined) return null;
  const all = await accounts.cases.ofOperator(operator);
  const decisions = cases.map((found) => newDecisionText(found, all));
  const findings = new Map<string, string[]>();
  for (const [index, found] of cases.entries()) {
    const outcome = outcomeText(found, decisions[index]!, clock());
    findings.set(outcome, [...(findings.get(outcome) ?? []), `- ${found.rule}: ${ruleSentence(found.rule)}`]);
  }
  const parts = [...findings].map(([outcome, list]) => `${list.join('\n')}\n\n${outcome}`);
  const isDecided = decisions.some((decided) => decided !== null);
  return {
    subject: isDecided ? 'A decision about your row on Upsilon' : 'Findings about your row on Upsilon',
    text: `This is about the row of ${codename}.

${parts.join('\n\n')}

You can read the evidence, answer and appeal here:

${accountUrl}#integrity
`,
  };
}

/** The last decision that changed something, in words; null without one, or when the operator was mailed about it. */
function newDecisionText(
  { rule, notified_at, decisions }: IntegrityCase,
  all: readonly IntegrityCase[],
): string | null {
  const last = decisions.findLast(hasEffect);
  if (last === undefined || (notified_at !== null && last.at < notified_at)) return null;
  return `${decisionSentence(last.action, rule, all)}\nReason: ${last.reason}`;
}

/** What is new about a case, and what its operator can do while it is in effect. */
function outcomeText(found: IntegrityCase, decided: string | null, now: number): string {
  if (found.closed_at !== undefined) {
    const closed = 'Closed: the present counts no longer cross the bound.';
    return decided === null ? closed : `${decided}\n${closed}`;
  }
  const remedy = isInEffect(found) ? `\nWhat to do: ${caseRemedy(found.rule, found.state === 'confirmed')}` : '';
  return `${decided ?? findingText(found, now)}${remedy}`;
}

/** What findings do, and when their evidence is public. */
function findingText({ severity, public_at }: IntegrityCase, now: number): string {
  const effect = severity === 'exclude' ? 'Effect: excluded from the boards.' : 'Effect: not numbered on the boards.';
  if (public_at === null) return effect;
  if (public_at.getTime() <= now) return `${effect} The evidence is public.`;
  return `${effect} The evidence becomes public ${EVIDENCE_DELAY_WORDS} after the finding: on ${minuteText(public_at)}.`;
}

async function reportMail({ accounts, ranking }: Context, { operator, at }: IntegrityReport): Promise<Text | null> {
  const codename = (await ranking.operators.byNumber(operator))?.codename;
  const outcome = reportOutcome(await accounts.cases.ofOperator(operator), at);
  if (codename === undefined || outcome === null) return null;
  return { subject: 'Your report on Upsilon', text: `You reported the row of ${codename}.\n\n${outcome}\n` };
}
