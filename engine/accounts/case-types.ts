/** How much a finding weighs: a note and a flag are shown on the row, an exclusion leaves the ranked board. */
export const SEVERITIES = ['note', 'flag', 'exclude'] as const;

export type Severity = (typeof SEVERITIES)[number];

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

/** Whether a decision changes what a board shows. */
export function hasEffect<T extends { readonly action: string }>(
  decision: T,
): decision is T & { readonly action: Effect } {
  return isEffect(decision.action);
}

/** A moderator's decision; `by` is the moderator's operator number, and is never shown. */
export interface Decision {
  readonly id: string;
  readonly by: number;
  readonly at: Date;
  readonly action: CaseAction;
  readonly reason: string;
}

/** What findings are all of: those about some operators, or those of some rules. */
export type CheckedCases = { readonly operators: readonly number[] } | { readonly rules: readonly string[] };

/** One operator and one rule. */
export interface IntegrityCase {
  /** `{operator}/{rule}` */
  readonly _id: string;
  readonly operator: number;
  readonly rule: string;
  readonly severity: Severity;
  readonly opened_at: Date;
  /** The board version of the finding. */
  readonly board_version: number;
  /** When the operator was mailed last; null before, and without an address. */
  readonly notified_at: Date | null;
  /** From when on the evidence is public; null: not public, because only people have opened the case. */
  readonly public_at: Date | null;
  /** The operator's answer. A hidden one stays hidden when its author changes it. */
  readonly answer: { readonly text: string; readonly at: Date; readonly hidden: boolean } | null;
  /** The last appeal. */
  readonly appeal: { readonly text: string; readonly at: Date } | null;
  /** `confirmed` while it is excluded by a moderator. */
  readonly state: 'open' | 'confirmed' | 'void';
  readonly decisions: readonly Decision[];
  /** Since when the case waits for a moderator. */
  readonly waiting?: { readonly appeal: boolean; readonly since: Date };
  /** A decision that is not in effect everywhere yet; `withdrawn` when its author was no longer entitled to it. */
  readonly pending?: Omit<Decision, 'action'> & { readonly action: CaseAction | 'withdrawn' };
  /** From when on the operator is to be mailed. */
  readonly notify_since?: Date;
  /** Since when the rule is no longer crossed. Only open cases of rules close, and a new finding opens them again. */
  readonly closed_at?: Date;
}

/** Whether a case does something to the row at present, so that there is something to appeal against. */
export function isInEffect({ state, rule, closed_at }: IntegrityCase): boolean {
  return state === 'confirmed' || (state === 'open' && !isByPeople(rule) && closed_at === undefined);
}

/** What a report may say about a row. */
export const REPORT_REASONS = ['counts', 'timing', 'duplicate'] as const;

export type ReportReason = (typeof REPORT_REASONS)[number];

/** One report of one row by one operator, who is never shown to the reported one. */
export interface IntegrityReport {
  /** `{reporter}/{operator}` */
  readonly _id: string;
  readonly reporter: number;
  readonly operator: number;
  readonly reason: ReportReason;
  readonly at: Date;
  /** Its place in the reporter's quota of the day. Each place holds one report, so counting and reporting are one write. */
  readonly place: string;
  /** Since when the reporter is to be mailed about a decision. */
  readonly notify_since?: Date;
}

/** A finding of a rule about an operator. */
export interface NewCase extends Pick<IntegrityCase, 'operator' | 'rule' | 'severity'> {
  readonly boardVersion: number;
}

/** What a moderator has seen of a case. */
export interface SeenCase {
  /** Its decisions. */
  readonly decided: number;
  /** When its appeal and its answer were written, in milliseconds; 0 without one. */
  readonly appealAt: number;
  readonly answerAt: number;
}

export function seenOf({ decisions, appeal, answer }: IntegrityCase): SeenCase {
  return {
    decided: decisions.length,
    appealAt: appeal?.at.getTime() ?? 0,
    answerAt: answer?.at.getTime() ?? 0,
  };
}

/** What moderators decided about an operator, in all of its cases. */
export interface Review {
  readonly excluded: boolean;
  /** Rules that no longer count against it. */
  readonly voided: readonly string[];
}

/** Brings a review into effect on the boards. Has to be repeatable. */
export type ApplyReview = (operator: number, review: Review) => Promise<unknown>;
