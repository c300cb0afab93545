import { DAY_MS } from '../../../config/units.ts';
import { newDocumentId } from '../../mongo/index.ts';
import type { Checked, IntegrityFinding, Review } from '../index.ts';
import {
  type ApplyReview,
  appealedCase,
  appealFrom,
  BY_COMMAND,
  type CaseAction,
  coversIn,
  type Decision,
  decidedTogether,
  EFFECTS,
  hasEffect,
  type IntegrityCase,
  type IntegrityReport,
  isByPeople,
  isEffect,
  isInEffect,
  REPORTED_RULE,
  type SeenCase,
  seenOf,
} from './case-types.ts';
import { MAX_REPORTS_PER_DAY } from './limits.ts';
import { createCaseQueue } from './mongo/case-queue.ts';
import type { CaseModels, createCaseStore } from './mongo/case-store.ts';
import { createReportStore } from './mongo/report-store.ts';

/** What a moderator decides, and about which state of the case. */
export interface DecisionRequest extends Pick<Decision, 'by' | 'action' | 'reason'> {
  readonly id: string;
  /** As in `Measured`. */
  readonly counts: string;
  readonly seen: SeenCase;
  readonly client: string | null;
}

export type DecisionRefusal = 'not_moderator' | 'own_row' | 'reported_by_you';

interface DecisionEvent extends Pick<DecisionRequest, 'client'> {
  readonly kind: 'integrity_decided' | 'integrity_decision_made';
  readonly operator: number | null;
  readonly detail: Readonly<Record<string, string>>;
}

/** What cases need of accounts. */
export interface CasePorts {
  readonly models: CaseModels;
  readonly caseStore: ReturnType<typeof createCaseStore>;
  readonly accounts: {
    byOperator(operator: number): Promise<Readonly<Record<'moderator' | 'suspended', boolean>> | null>;
  };
  /** Events with ids; those of a command of the installation have no operator. */
  readonly audit: { record(event: DecisionEvent, id: string): Promise<void> };
  readonly clock: () => number;
}

/** Integrity cases: findings and reports about operators, their answers and appeals, and decisions of moderators. */
export function createCases(ports: CasePorts) {
  const { models, caseStore, clock } = ports;
  const waiting = createCaseQueue(models);
  const reports = createReportStore(models);
  const parts = { ...ports, reports };
  const now = (): Date => new Date(clock());
  const open = (found: readonly IntegrityFinding[]): Promise<void> => caseStore.open(found, now());

  return {
    ...waiting,
    ...reports,
    find: caseStore.find,
    ofOperator: caseStore.ofOperator,
    dueNotices: (limit: number) => waiting.dueNotices(limit, now()),
    /** Opens cases for findings; what is open or confirmed stays. Safe to repeat. */
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
    /** Appeals at a case of those of an operator, for all in effect. False when it is not to appeal now, or the case has changed. */
    async appeal(found: IntegrityCase, text: string, present: string): Promise<boolean> {
      const from = appealFrom(await caseStore.ofOperator(found.operator), present);
      return from !== null && from <= clock() && isInEffect(found) && caseStore.appeal(found, text, now());
    },
    report: (report: NewReport) => addReport(parts, report),
    refusalOf: (by: number, operator: number) => refusalOf(parts, by, operator),
    decide: (request: DecisionRequest, apply: ApplyReview) => decide(parts, request, apply),
    /** Completes decisions whose process stopped before they were in effect everywhere. */
    async settle(apply: ApplyReview): Promise<void> {
      for (const found of await caseStore.pending()) await settle(parts, found, null, apply);
    },
  };
}

type CaseParts = CasePorts & { readonly reports: ReturnType<typeof createReportStore> };

type NewReport = Pick<IntegrityReport, 'reporter' | 'operator' | 'reason'> & Pick<IntegrityFinding, 'boardVersion'>;

/** A report only opens a case. `decided`: a decision still stands; `limit`: the reporter's reports of the day are used up. */
async function addReport(
  { caseStore, reports, clock }: CaseParts,
  { reporter, operator, reason, boardVersion }: NewReport,
): Promise<'reported' | 'decided' | 'already' | 'own' | 'limit'> {
  if (reporter === operator) return 'own';
  const at = new Date(clock());
  const day = Math.floor(clock() / DAY_MS);
  let inserted = false;
  for (let place = 0; place < MAX_REPORTS_PER_DAY && !inserted; place += 1) {
    if ((await reports.findReport(reporter, operator)) !== null) break;
    const made = { _id: `${reporter}/${operator}`, reporter, operator, reason, at };
    inserted = await reports.insertReport({ ...made, place: `${reporter}/${day}/${place}` });
  }
  const report = await reports.findReport(reporter, operator);
  if (report === null) return 'limit';
  // Also for a repeated report, whose first request may have ended before this.
  await caseStore.open([{ operator, rule: REPORTED_RULE, severity: 'note', boardVersion }], at);
  await reports.waitAgain(operator, report.at);
  if (!inserted) return 'already';
  return (await caseStore.find(`${operator}/${REPORTED_RULE}`))?.waiting === undefined ? 'decided' : 'reported';
}

/** Why an operator may not decide about another one; null when it may. A command of the installation may: its caller holds the stores. */
async function refusalOf(
  { accounts, reports }: CaseParts,
  by: number,
  operator: number,
): Promise<DecisionRefusal | null> {
  if (by === BY_COMMAND) return null;
  const account = await accounts.byOperator(by);
  if (account === null || !account.moderator || account.suspended) return 'not_moderator';
  if (by === operator) return 'own_row';
  return (await reports.findReport(by, operator)) === null ? null : 'reported_by_you';
}

/** `conflict`: another decision, appeal or answer came first; `unknown`: no such case, or the action does not fit its state. */
async function decide(
  parts: CaseParts,
  { id, by, action, reason, counts: present, seen, client }: DecisionRequest,
  apply: ApplyReview,
): Promise<'decided' | 'conflict' | 'unknown' | DecisionRefusal> {
  const { caseStore, clock } = parts;
  const found = await caseStore.find(id);
  if (found === null) return 'unknown';
  const refusal = await refusalOf(parts, by, found.operator);
  if (refusal !== null) return refusal;
  const all = await caseStore.ofOperator(found.operator);
  const together = isEffect(action) ? decidedTogether(found, all) : [found];
  const pending = all.filter(
    ({ _id, pending: other }) =>
      other !== undefined &&
      (together.some((each) => each._id === _id) || other.fellows.some(({ rule }) => rule === found.rule)),
  );
  for (const each of pending) await settle(parts, each, null, apply);
  const shown = seenOf(found, all, () => []);
  if (pending.length > 0 || shown.decided !== seen.decided) return 'conflict';
  if (!actionsOf(found).includes(action)) return 'unknown';
  const isUnseen = (name: keyof SeenCase): boolean => shown[name] !== seen[name];
  // An answer is hidden whatever it says by now.
  if (isUnseen('appeal_at') || (action !== 'hide_answer' && isUnseen('answer_at'))) return 'conflict';
  // An appeal that waits at another case is decided there.
  const isElsewhere = isInEffect(found) && (appealedCase(all) ?? found)._id !== id;
  if (isEffect(action) && (isUnseen('rules') || isElsewhere)) return 'conflict';
  const covered = coversIn(seen);
  const coversOf = (rule: string) => (action === 'void' ? { covers: covered.get(rule) ?? [] } : {});
  const fellows = together
    .filter(({ _id }) => _id !== id)
    .map(({ rule, decisions }) => ({ rule, decided: decisions.length, ...coversOf(rule) }));
  const counts = found.waiting?.kind === 'appeal' && isEffect(action) ? { counts: present } : {};
  const at = new Date(clock());
  const decision = { id: newDocumentId(), by, at, action, reason, ...coversOf(found.rule), ...counts };
  if (!(await caseStore.begin(found, { ...decision, fellows }))) return 'conflict';
  return (await settle(parts, { ...found, pending: { ...decision, fellows } }, client, apply)) ?? 'decided';
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
  parts: CaseParts,
  found: IntegrityCase,
  client: string | null,
  apply: ApplyReview,
): Promise<DecisionRefusal | null> {
  const { caseStore, reports, audit } = parts;
  const { _id, operator, rule, pending } = found;
  if (pending === undefined) return null;
  const { fellows, ...decision } = pending;
  const { id, by, action, reason, at } = decision;
  const refusal = action === 'withdrawn' ? 'not_moderator' : await refusalOf(parts, by, operator);
  if (refusal !== null) await caseStore.withdraw(_id, id);
  if (action === 'withdrawn' || isEffect(action)) await applyAll(caseStore, operator, apply);
  if (refusal !== null || action === 'withdrawn') {
    await caseStore.drop(_id, id);
    return refusal;
  }
  const rules = [rule, ...fellows.map((fellow) => fellow.rule)];
  const detail = { rule: rules.join(', '), action, reason };
  await audit.record({ kind: 'integrity_decided', operator, client: null, detail }, `${id}/operator`);
  // Without the reason, which is about the operator and goes with its erasure.
  const made = { case: _id, action };
  const author = by === BY_COMMAND ? null : by;
  await audit.record({ kind: 'integrity_decision_made', operator: author, client, detail: made }, `${id}/moderator`);
  if (rules.includes(REPORTED_RULE) && isEffect(action)) await reports.notifyReporters(operator, at);
  const { covers: _own, ...shared } = { ...decision, action };
  for (const { rule: other, decided, covers } of fellows) {
    const about = { _id: `${operator}/${other}`, rule: other };
    await caseStore.finish(about, { decided }, { ...shared, ...(covers !== undefined && { covers }) });
  }
  await caseStore.finish(found, { id }, { ...decision, action });
  return null;
}

/** Applies the review that follows from all of an operator's cases, and again when another decision came in between. */
async function applyAll(caseStore: CasePorts['caseStore'], operator: number, apply: ApplyReview): Promise<void> {
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
  const appealed = cases.find(({ pending }) => pending !== undefined && pending.fellows.length > 0)?.pending;
  const all = cases.map(({ rule, decisions, pending }) => {
    const fellow = appealed?.fellows.find((each) => each.rule === rule && each.decided === decisions.length);
    const shared = fellow && { action: appealed!.action, covers: fellow.covers };
    const made = [...decisions, shared, pending].filter((each) => each !== undefined).filter(hasEffect);
    // Clearings add up until another decision.
    const clearings = made.slice(made.findLastIndex(({ action }) => action !== 'void') + 1);
    const covers = clearings.flatMap((clearing) => clearing.covers ?? []);
    return { rule, last: made.at(-1)?.action, covers };
  });
  return {
    excluded: all.some(({ last }) => last === 'exclude'),
    cleared: all
      .flatMap(({ rule, last, covers }) => (last === 'void' ? { rule, covers } : []))
      .toSorted((one, other) => (one.rule < other.rule ? -1 : 1)),
  };
}

/** Whether the operator sees a case: those that people opened only after a decision. */
export function isShownToOperator({ rule, decisions }: IntegrityCase): boolean {
  return !isByPeople(rule) || decisions.some(hasEffect);
}
