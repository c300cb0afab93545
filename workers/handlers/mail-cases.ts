import { DAY_MS } from '../../config/units.ts';
import {
  DECISION_SENTENCES,
  EVIDENCE_DELAY_WORDS,
  type IntegrityCase,
  type IntegrityReport,
  isEffect,
  REPORTED_RULE,
  ruleSentence,
} from '../../engine/accounts/index.ts';
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
function decisionText(found: IntegrityCase): string | null {
  const last = found.decisions.findLast(({ action }) => isEffect(action));
  return last && isEffect(last.action) ? `${DECISION_SENTENCES[last.action]}\nReason: ${last.reason}` : null;
}

async function caseMail(
  { ranking, accountUrl, clock }: Context,
  operator: number,
  cases: readonly IntegrityCase[],
): Promise<Text | null> {
  const codename = (await ranking.operators.byNumber(operator))?.codename;
  if (codename === undefined) return null;
  const isDecided = cases.some((found) => newDecisionText(found) !== null);
  const findings = cases.map((found) => ({
    finding: `- ${found.rule}: ${ruleSentence(found.rule)}`,
    outcome: outcomeText(found, clock()),
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
function newDecisionText(found: IntegrityCase): string | null {
  const { notified_at, decisions } = found;
  return decisions.some(({ at, action }) => isEffect(action) && (notified_at === null || at >= notified_at))
    ? decisionText(found)
    : null;
}

/** What is new about a case. */
function outcomeText(found: IntegrityCase, now: number): string {
  const decided = newDecisionText(found);
  if (found.closed_at === undefined) return decided ?? findingText(found, now);
  const closed = 'Closed: the present counts no longer cross the bound.';
  return decided === null ? closed : `${decided}\n${closed}`;
}

/** What findings do, and when their evidence is public. */
function findingText({ severity, public_at }: IntegrityCase, now: number): string {
  const effect = severity === 'exclude' ? 'Effect: excluded from the boards.' : 'Effect: shown on the row.';
  if (public_at === null) return effect;
  if (public_at.getTime() <= now) return `${effect} The evidence is public.`;
  const at = public_at.toISOString().slice(0, 16).replace('T', ' ');
  return `${effect} The evidence becomes public ${EVIDENCE_DELAY_WORDS} after the finding: on ${at} UTC.`;
}

async function reportMail({ accounts, ranking }: Context, { operator }: IntegrityReport): Promise<Text | null> {
  const codename = (await ranking.operators.byNumber(operator))?.codename;
  const found = await accounts.cases.find(`${operator}/${REPORTED_RULE}`);
  const decided = found && decisionText(found);
  if (codename === undefined || decided === null) return null;
  return { subject: 'Your report on Upsilon', text: `You reported the row of ${codename}.\n\n${decided}\n` };
}
