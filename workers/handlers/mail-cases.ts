import { DAY_MS } from '../../config/units.ts';
import {
  caseRemedy,
  decisionSentence,
  doOthersHold,
  EVIDENCE_DELAY_WORDS,
  hasEffect,
  type IntegrityCase,
  type IntegrityReport,
  isInEffect,
  reportOutcome,
  ruleSentence,
} from '../../engine/integrity/cases/index.ts';
import type { HandlerContext } from './context.ts';

/** Cases, and reports, of one run. */
const MAILS = 100;

/** How long a mail is tried, in milliseconds. The account page shows the same. */
const TRIED_FOR_MS = DAY_MS;

type Context = Pick<HandlerContext, 'accounts' | 'ranking' | 'mailer' | 'accountUrl' | 'clock' | 'logThrottled'>;

/** Mails operators about new and decided cases, all of an operator in one mail, and reporters about decisions. Ends early when the mail server is away. */
export async function mailCases(context: Context): Promise<void> {
  const { cases } = context.accounts;
  const dueNotices = await cases.dueNotices(MAILS);
  for (const operator of new Set(dueNotices.cases.map((found) => found.operator))) {
    const found = dueNotices.cases.filter((one) => one.operator === operator);
    // Oldest first: the newest case decides how long the mail is tried.
    const sent = await send(context, operator, found.at(-1)?.notify_since, () => caseMail(context, operator, found));
    if (sent === 'later') return;
    const at = sent === 'sent' ? new Date(context.clock()) : null;
    for (const one of found) await cases.markCaseNotified(one, at);
  }
  for (const report of dueNotices.reports) {
    const sent = await send(context, report.reporter, report.notify_since, () => reportMail(context, report));
    if (sent === 'later') return;
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
): Promise<'sent' | 'none' | 'later'> {
  if (mailer === null || since === undefined || clock() - since.getTime() > TRIED_FOR_MS) return 'none';
  const [to] = await accounts.identities.addressesOf(operator);
  const mail = to === undefined ? null : await write();
  if (to === undefined || mail === null) return 'none';
  try {
    await mailer.send({ to, ...mail });
    return 'sent';
  } catch (error) {
    logThrottled(error);
    const isFinal = error instanceof Error && Number(Reflect.get(error, 'responseCode')) >= 500;
    return isFinal ? 'none' : 'later';
  }
}

/** The last decision that changed something, in words. */
function decisionText({ rule, decisions }: IntegrityCase, all: readonly IntegrityCase[]): string | null {
  const last = decisions.findLast(hasEffect);
  return last === undefined
    ? null
    : `${decisionSentence(last.action, doOthersHold(all, rule))}\nReason: ${last.reason}`;
}

async function caseMail(
  { accounts, ranking, accountUrl, clock }: Context,
  operator: number,
  cases: readonly IntegrityCase[],
): Promise<Text | null> {
  const codename = (await ranking.operators.byNumber(operator))?.codename;
  if (codename === undefined) return null;
  const all = await accounts.cases.ofOperator(operator);
  const isDecided = cases.some((found) => newDecisionText(found, all) !== null);
  const findings = cases.map((found) => ({
    finding: `- ${found.rule}: ${ruleSentence(found.rule)}`,
    outcome: outcomeText(found, all, clock()),
  }));
  const parts = [...new Set(findings.map(({ outcome }) => outcome))].map((shared) => {
    const list = findings.filter(({ outcome }) => outcome === shared).map(({ finding }) => finding);
    return `${list.join('\n')}\n\n${shared}`;
  });
  return {
    subject: isDecided ? 'A decision about your row on Upsilon' : 'Findings about your row on Upsilon',
    text: `This is about the row of ${codename}.

${parts.join('\n\n')}

You can read the evidence, answer and appeal here:

${accountUrl}#integrity
`,
  };
}

/** A decision that the operator was not mailed about. */
function newDecisionText(found: IntegrityCase, all: readonly IntegrityCase[]): string | null {
  const { notified_at, decisions } = found;
  return decisions.filter(hasEffect).some(({ at }) => notified_at === null || at >= notified_at)
    ? decisionText(found, all)
    : null;
}

/** What is new about a case, and what its operator can do while it is in effect. */
function outcomeText(found: IntegrityCase, all: readonly IntegrityCase[], now: number): string {
  const decided = newDecisionText(found, all);
  const remedy = isInEffect(found) ? `\nWhat to do: ${caseRemedy(found.rule, found.state === 'confirmed')}` : '';
  if (found.closed_at === undefined) return `${decided ?? findingText(found, now)}${remedy}`;
  const closed = 'Closed: the present counts no longer cross the bound.';
  return decided === null ? closed : `${decided}\n${closed}`;
}

/** What findings do, and when their evidence is public. */
function findingText({ severity, public_at }: IntegrityCase, now: number): string {
  const effect = severity === 'exclude' ? 'Effect: excluded from the boards.' : 'Effect: not numbered on the boards.';
  if (public_at === null) return effect;
  if (public_at.getTime() <= now) return `${effect} The evidence is public.`;
  const at = public_at.toISOString().slice(0, 16).replace('T', ' ');
  return `${effect} The evidence becomes public ${EVIDENCE_DELAY_WORDS} after the finding: on ${at} UTC.`;
}

async function reportMail({ accounts, ranking }: Context, { operator, at }: IntegrityReport): Promise<Text | null> {
  const codename = (await ranking.operators.byNumber(operator))?.codename;
  const outcome = reportOutcome(await accounts.cases.ofOperator(operator), at);
  if (codename === undefined || outcome === null) return null;
  return { subject: 'Your report on Upsilon', text: `You reported the row of ${codename}.\n\n${outcome}\n` };
}
