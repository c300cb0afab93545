import { type DocumentOf, defineStored, oneOf, orNull, part, required, type ShapeOf } from '../../mongo/index.ts';
import { type Covered, type Measured, type Review, SEVERITIES } from '../index.ts';
import { APPEAL_RESTS_MS } from './limits.ts';

/** Rules of cases that people open: by reports of a row, and by a moderator. All others are rules of the engine. */
export const REPORTED_RULE = 'reported';
export const REVIEW_RULE = 'review';

export const RULES_OF_PEOPLE: readonly string[] = [REPORTED_RULE, REVIEW_RULE];

/** Whether people open the cases of a rule: they have no evidence of their own. */
export function isByPeople(rule: string): boolean {
  return RULES_OF_PEOPLE.includes(rule);
}

/** Decisions that change what a board shows. */
export const EFFECTS = ['void', 'exclude', 'restore'] as const;

export type Effect = (typeof EFFECTS)[number];

export const CASE_ACTIONS = [...EFFECTS, 'hide_answer', 'show_answer'] as const;

export type CaseAction = (typeof CASE_ACTIONS)[number];

export function isEffect(action: string): action is Effect {
  return EFFECTS.some((effect) => effect === action);
}

export function hasEffect<T extends { readonly action: string }>(
  decision: T,
): decision is T & { readonly action: Effect } {
  return isEffect(decision.action);
}

/** In place of a moderator's number: a command of this installation decided. Operators are numbered from 1. */
export const BY_COMMAND = 0;

const DECISION = {
  id: required(String),
  /** The moderator's operator number, which is never shown, or `BY_COMMAND`. */
  by: required(Number),
  at: required(Date),
  reason: required(String),
  /** What a clearing covers. */
  covers: [Number],
  /** Of a decision on an appeal: the operator's counts at that time. */
  counts: String,
} as const;

const decision = part({ ...DECISION, action: oneOf(CASE_ACTIONS) });

/** Another case of the operator that a decision on an appeal is about, with the number of its decisions before. */
const fellow = part({ rule: required(String), decided: required(Number), covers: [Number] });

/** What cases wait for a moderator as; the queue takes turns between these. */
export const WAITING_KINDS = ['appeal', 'report', 'rule'] as const;

export type Decision = ShapeOf<typeof decision>;

/** One operator and one rule; `_id` is `{operator}/{rule}`. */
export const CASES = defineStored(
  'integrity_cases',
  {
    _id: required(String),
    operator: required(Number),
    rule: required(String),
    severity: oneOf(SEVERITIES),
    opened_at: required(Date),
    board_version: required(Number),
    /** When the operator was mailed last; null before, and without an address. */
    notified_at: orNull(Date),
    /** From when on the evidence is public; null: not public, because only people have opened the case. */
    public_at: orNull(Date),
    /** The operator's answer. A hidden one stays hidden when its author changes it. */
    answer: orNull(part({ text: required(String), at: required(Date), hidden: required(Boolean) })),
    /** The last appeal that the operator wrote at this case; while it waits, it is about all cases of the operator in effect. */
    appeal: orNull(part({ text: required(String), at: required(Date) })),
    /** `confirmed` while it is excluded by a moderator. */
    state: oneOf(['open', 'confirmed', 'void']),
    decisions: required([decision]),
    /** Since when the case waits for a moderator. */
    waiting: part({ kind: oneOf(WAITING_KINDS), since: required(Date) }),
    /** A decision that is not in effect everywhere yet; `withdrawn` when its author was no longer entitled to it. */
    pending: part({ ...DECISION, action: oneOf([...CASE_ACTIONS, 'withdrawn']), fellows: required([fellow]) }),
    /** From when on the operator is to be mailed. */
    notify_since: Date,
    /** Since when the rule is no longer crossed. Only open cases of rules close, and a new finding opens them again. */
    closed_at: Date,
  },
  [{ operator: 1 }],
  // One waiting appeal of an operator.
  [
    { operator: 1, 'waiting.kind': 1 },
    { unique: true, partialFilterExpression: { 'waiting.kind': 'appeal' } },
  ],
  [{ 'waiting.kind': 1, 'waiting.since': 1, _id: 1 }, { partialFilterExpression: { waiting: { $exists: true } } }],
  [{ 'pending.id': 1 }, { sparse: true }],
  [{ notify_since: 1 }, { sparse: true }],
);

export type IntegrityCase = DocumentOf<typeof CASES>;
export type PendingDecision = NonNullable<IntegrityCase['pending']>;

/** Whether a case does something to the row at present, so that there is something to appeal against. */
export function isInEffect({ state, rule, closed_at }: IntegrityCase): boolean {
  return state === 'confirmed' || (state === 'open' && !isByPeople(rule) && closed_at === undefined);
}

/** What a report may say about a row. */
export const REPORT_REASONS = ['counts', 'timing', 'duplicate'] as const;

export type ReportReason = (typeof REPORT_REASONS)[number];

/** One report of one row by one operator, who is never shown to the reported one; `_id` is `{reporter}/{operator}`. */
export const REPORTS = defineStored(
  'integrity_reports',
  {
    _id: required(String),
    reporter: required(Number),
    operator: required(Number),
    reason: oneOf(REPORT_REASONS),
    at: required(Date),
    /** Its place in the reporter's quota of the day. Each place holds one report, so counting and reporting are one write. */
    place: required(String),
    /** Since when the reporter is to be mailed about a decision. */
    notify_since: Date,
  },
  [{ operator: 1, reason: 1 }],
  [{ reporter: 1, at: -1 }],
  [{ place: 1 }, { unique: true }],
  [{ notify_since: 1 }, { sparse: true }],
);

export type IntegrityReport = DocumentOf<typeof REPORTS>;

export function appealedCase(cases: readonly IntegrityCase[]): IntegrityCase | undefined {
  return cases.find(({ waiting }) => waiting?.kind === 'appeal');
}

/** The cases that one decision about a case is about: of a waiting appeal all in effect, else that case. */
export function decidedTogether(found: IntegrityCase, all: readonly IntegrityCase[]): readonly IntegrityCase[] {
  return found.waiting?.kind === 'appeal' ? all.filter((each) => each._id === found._id || isInEffect(each)) : [found];
}

/**
 * From when on an operator can appeal, in milliseconds since the epoch, 0 = at once; null while an appeal waits, or no case is in
 * effect. An appeal that was decided rests for APPEAL_RESTS_MS, or until the counts of all time are others.
 */
export function appealFrom(cases: readonly IntegrityCase[], counts: string): number | null {
  const inEffect = cases.filter(isInEffect);
  if (inEffect.length === 0 || appealedCase(cases) !== undefined) return null;
  const from = inEffect.map(({ decisions }) => {
    const last = decisions.findLast(hasEffect);
    return last?.counts === counts ? last.at.getTime() + APPEAL_RESTS_MS : 0;
  });
  return Math.min(...from);
}

/**
 * What there is to see of a case for a moderator, as fields of a form: its decisions, when its appeal and its answer were written, the
 * rules of the cases that a decision is about, and what a clearing of each covers.
 */
export function seenOf(found: IntegrityCase, all: readonly IntegrityCase[], covered: Measured['covered']) {
  const timeOf = (text: IntegrityCase['appeal']): string => `${text?.at.getTime() ?? 0}`;
  const rules = decidedTogether(found, all).map(({ rule }) => rule);
  return {
    decided: `${found.decisions.length}`,
    appeal_at: timeOf(found.appeal),
    answer_at: timeOf(found.answer),
    rules: rules.join(' '),
    covers: rules.map((rule) => covered(rule).join(',')).join(' '),
  };
}

/** What a clearing covers of each rule that a moderator has seen. */
export function coversIn({ rules = '', covers = '' }: SeenCase): ReadonlyMap<string, Covered> {
  const seen = covers
    .split(' ')
    .map((numbers) => numbers.split(',').filter(Boolean).map(Number).filter(Number.isFinite));
  return new Map(rules.split(' ').map((rule, at) => [rule, seen[at] ?? []]));
}

export type SeenCase = Partial<ReturnType<typeof seenOf>>;

/** Brings a review into effect on the boards. Has to be repeatable. */
export type ApplyReview = (operator: number, review: Review) => Promise<unknown>;
