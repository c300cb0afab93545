import { DAY_MS } from '../../config/units.ts';
import { type Checked, type IntegrityFinding } from '../integrity/index.ts';
import {
  type ApplyReview,
  type CaseAction,
  type Decision,
  EFFECTS,
  hasEffect,
  type IntegrityCase,
  isByPeople,
  isEffect,
  REPORTED_RULE,
  type ReportReason,
  type Review,
  type SeenCase,
} from './case-types.ts';
import { MAX_REPORTS_PER_DAY } from './limits.ts';
import type { AccountParts } from './open-parts.ts';
import { newSecret } from './secrets.ts';

/** What a moderator decides, and about which state of the case. */
export interface DecisionRequest extends Pick<Decision, 'by' | 'action' | 'reason'> {
  readonly id: string;
  readonly seen: SeenCase;
  readonly client: string | null;
}

/** Why somebody may not decide a case. */
export type DecisionRefusal = 'not_moderator' | 'own_row' | 'reported_by_you';

type Parts = Pick<AccountParts, 'caseStore' | 'accounts' | 'audit' | 'clock'>;

/** Integrity cases: findings and reports about operators, their answers and appeals, and decisions of moderators. */
export function createCases(parts: Parts) {
  const { caseStore, clock } = parts;
  const { find, ofOperator, queue, queueLength, counts, markCaseNotified, markReportNotified } = caseStore;
  const { findReport, reportsBy, reportsMade, reportCounts } = caseStore;
  const now = (): Date => new Date(clock());
  const open = (found: readonly IntegrityFinding[]): Promise<void> => caseStore.open(found, now());

  return {
    find,
    ofOperator,
    queue,
    queueLength,
    counts,
    findReport,
    reportsBy,
    reportsMade,
    reportCounts,
    dueNotices: (limit: number) => caseStore.dueNotices(limit, now()),
    markCaseNotified,
    markReportNotified,
    /** Opens cases for findings; an existing case stays, and its severity only rises. Safe to repeat. */
    open,
    /**
     * Opens cases for what the rules find about operators, or for what some rules find, and closes the others of these. Moderators
     * open those of reviews. Safe to repeat.
     */
    recordFindings: async (found: readonly IntegrityFinding[], checked: Checked): Promise<void> => {
      await open(found.filter(({ rule }) => !isByPeople(rule)));
      await caseStore.close(checked, found, now());
    },
    setAnswer: (id: string, text: string | null) => caseStore.setAnswer(id, text, now()),
    appeal: ({ _id, decisions }: IntegrityCase, text: string) => caseStore.appeal(_id, decisions.length, text, now()),
    report: (report: NewReport) => addReport(parts, report),
    refusalOf: (by: number, operator: number) => refusalOf(parts, by, operator),
    decide: (request: DecisionRequest, apply: ApplyReview) => decide(parts, request, apply),
    /** Completes decisions whose process stopped before they were in effect everywhere. */
    async settle(apply: ApplyReview): Promise<void> {
      for (const found of await caseStore.pending()) await settle(parts, found, null, apply);
    },
  };
}

interface NewReport {
  readonly reporter: number;
  readonly operator: number;
  readonly reason: ReportReason;
  readonly boardVersion: number;
}

/** A report only opens a case. `decided`: a decision still stands; `limit`: the reporter's reports of the day are used up. */
async function addReport(
  { caseStore, clock }: Parts,
  { reporter, operator, reason, boardVersion }: NewReport,
): Promise<'reported' | 'decided' | 'already' | 'own' | 'limit'> {
  if (reporter === operator) return 'own';
  const at = new Date(clock());
  const day = Math.floor(clock() / DAY_MS);
  let inserted = false;
  for (let place = 0; place < MAX_REPORTS_PER_DAY && !inserted; place += 1) {
    if ((await caseStore.findReport(reporter, operator)) !== null) break;
    const made = { _id: `${reporter}/${operator}`, reporter, operator, reason, at };
    inserted = await caseStore.insertReport({ ...made, place: `${reporter}/${day}/${place}` });
  }
  const report = await caseStore.findReport(reporter, operator);
  if (report === null) return 'limit';
  const id = `${operator}/${REPORTED_RULE}`;
  // Also for a repeated report, whose first request may have ended before this.
  await caseStore.open([{ operator, rule: REPORTED_RULE, severity: 'note', boardVersion }], at);
  await caseStore.waitAgain(id, report.at);
  if (!inserted) return 'already';
  return (await caseStore.find(id))?.waiting === undefined ? 'decided' : 'reported';
}

/** Why an operator may not decide about another one; null when it may. */
async function refusalOf(
  { accounts, caseStore }: Parts,
  by: number,
  operator: number,
): Promise<DecisionRefusal | null> {
  const account = await accounts.byOperator(by);
  if (account === null || !account.moderator || account.suspended) return 'not_moderator';
  if (by === operator) return 'own_row';
  return (await caseStore.findReport(by, operator)) === null ? null : 'reported_by_you';
}

/** `conflict`: another decision, appeal or answer came first; `unknown`: no such case, or the action does not fit its state. */
async function decide(
  parts: Parts,
  { id, by, action, reason, seen, client }: DecisionRequest,
  apply: ApplyReview,
): Promise<'decided' | 'conflict' | 'unknown' | DecisionRefusal> {
  const { caseStore, clock } = parts;
  const found = await caseStore.find(id);
  if (found === null) return 'unknown';
  const refusal = await refusalOf(parts, by, found.operator);
  if (refusal !== null) return refusal;
  if (found.pending !== undefined) {
    await settle(parts, found, null, apply);
    return 'conflict';
  }
  if (found.decisions.length !== seen.decided) return 'conflict';
  if (!actionsOf(found).includes(action)) return 'unknown';
  const decision = { id: newSecret(), by, at: new Date(clock()), action, reason };
  if (!(await caseStore.begin(id, seen, decision))) return 'conflict';
  return (await settle(parts, { ...found, pending: decision }, client, apply)) ?? 'decided';
}

/** What a moderator can do with a case. Repeating the last decision answers an appeal against it. */
export function actionsOf({ answer }: IntegrityCase): readonly CaseAction[] {
  return answer === null ? EFFECTS : [...EFFECTS, answer.hidden ? 'show_answer' : 'hide_answer'];
}

/**
 * Brings a pending decision into effect. Its author's role is read after the decision was written, so that a revocation that ended
 * before has the last word. Every step can be repeated. Returns why the decision was withdrawn; null when it counts.
 */
async function settle(
  { caseStore, audit, ...parts }: Parts,
  found: IntegrityCase,
  client: string | null,
  apply: ApplyReview,
): Promise<DecisionRefusal | null> {
  const { _id, operator, rule, pending } = found;
  if (pending === undefined) return null;
  const { id, by, action, reason } = pending;
  const refusal =
    action === 'withdrawn' ? 'not_moderator' : await refusalOf({ caseStore, audit, ...parts }, by, operator);
  if (refusal !== null) await caseStore.withdraw(_id, id);
  if (action === 'withdrawn' || isEffect(action)) await applyAll(caseStore, operator, apply);
  if (refusal !== null || action === 'withdrawn') {
    await caseStore.drop(_id, id);
    return refusal;
  }
  const detail = { rule, action, reason };
  await audit.record({ kind: 'integrity_decided', operator, client: null, detail }, `${id}/operator`);
  // Without the reason, which is about the operator and goes with its erasure.
  const made = { case: _id, action };
  await audit.record({ kind: 'integrity_decision_made', operator: by, client, detail: made }, `${id}/moderator`);
  if (rule === REPORTED_RULE && isEffect(action)) await caseStore.notifyReporters(operator, pending.at);
  await caseStore.finish(found, { ...pending, action });
  return null;
}

/** Applies the review that follows from all of an operator's cases, and again when another decision came in between. */
async function applyAll(caseStore: Parts['caseStore'], operator: number, apply: ApplyReview): Promise<void> {
  let applied: string | null = null;
  for (;;) {
    const review = reviewOf(await caseStore.ofOperator(operator));
    const key = JSON.stringify(review);
    if (key === applied) return;
    await apply(operator, review);
    applied = key;
  }
}

/** Pending decisions count, so that the last one to be applied knows all others. */
function reviewOf(cases: readonly IntegrityCase[]): Review {
  const last = cases.map(({ rule, decisions, pending }) => {
    return { rule, action: [...decisions, ...(pending ? [pending] : [])].findLast(hasEffect)?.action };
  });
  return {
    excluded: last.some(({ action }) => action === 'exclude'),
    voided: last.flatMap(({ rule, action }) => (action === 'void' ? rule : [])).toSorted(),
  };
}

/** Whether the operator sees a case: those that people opened only after a decision. */
export function isShownToOperator({ rule, decisions }: IntegrityCase): boolean {
  return !isByPeople(rule) || decisions.some(hasEffect);
}
