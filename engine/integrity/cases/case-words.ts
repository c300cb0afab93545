import { DAY_MS, HOUR_MS, readableDay, readableMinute } from '../../../config/units.ts';
import { RULES } from '../index.ts';
import {
  type CaseAction,
  hasEffect,
  type IntegrityCase,
  isInEffect,
  REPORTED_RULE,
  REVIEW_RULE,
} from './case-types.ts';
import { EVIDENCE_DELAY_MS, REVIEW_STANDS_MS } from './limits.ts';

/** From a finding that does not exclude to its public evidence. */
export const EVIDENCE_DELAY_WORDS = `${EVIDENCE_DELAY_MS / HOUR_MS} hours`;

export const dayText = (at: Date): string => readableDay(at.getTime());

export const minuteText = (at: Date): string => readableMinute(at.getTime());

/** A rule in a few words. */
export function ruleWords(rule: string): string {
  return rule.replaceAll('-', ' ');
}

/** What a rule says about a row, for people. */
export function ruleSentence(rule: string): string {
  if (rule === REPORTED_RULE) return 'Readers reported these counts as not plausible.';
  if (rule === REVIEW_RULE) return 'A moderator reviewed whether these counts are plausible.';
  return RULES.find(({ name }) => name === rule)?.sentence ?? `These counts cross a bound of the rule ${rule}.`;
}

/** What the operator can do about a case in effect. */
export function caseRemedy(rule: string, isConfirmed: boolean): string {
  if (isConfirmed) return 'Appeal at your account, and explain your usage.';
  const remedy = RULES.find(({ name }) => name === rule)?.remedy;
  return remedy ?? 'Explain your usage in an answer at your account.';
}

const DECISION_SENTENCES: Readonly<Record<CaseAction, string>> = {
  exclude: 'A moderator excluded the operator from the boards.',
  void: 'A moderator found the counts plausible, and voided the finding.',
  restore: 'A moderator left it to the rules: what they find applies.',
  hide_answer: 'A moderator hid the answer.',
  show_answer: 'A moderator showed the answer again.',
};

/** What a moderator decided about the case of a rule, for both sides; the last decision with all cases of the row at present. */
export function decisionSentence(action: CaseAction, rule: string, present: readonly IntegrityCase[]): string {
  const sentence = DECISION_SENTENCES[action];
  const doOthersHold = present.some(
    (found) => found.rule !== rule && isInEffect(found) && (found.state === 'confirmed' || found.severity !== 'note'),
  );
  return action === 'void' && doOthersHold ? `${sentence} Other findings still apply.` : sentence;
}

/**
 * What became of a report that was made at a time, for its author; null without a decision. An exclusion counts while it lasts.
 * Otherwise the last decision since then does, or an earlier one about reports while they do not wait for another. Reasons of
 * decisions about other cases are for the operator alone.
 */
export function reportOutcome(cases: readonly IntegrityCase[], at: Date): string | null {
  const decided = cases
    .flatMap(({ rule, state, waiting, decisions }) => {
      const last = decisions.findLast(hasEffect);
      const ofReports = rule === REPORTED_RULE;
      const isExcluding = state === 'confirmed';
      const stands = isExcluding || (ofReports && waiting === undefined);
      return last !== undefined && (stands || last.at >= at) ? [{ ...last, rule, ofReports, isExcluding }] : [];
    })
    .toSorted((one, other) => one.at.getTime() - other.at.getTime());
  const last = decided.findLast(({ isExcluding }) => isExcluding) ?? decided.at(-1);
  if (last === undefined) return null;
  const sentence = decisionSentence(last.action, last.rule, cases);
  if (!last.ofReports) return sentence;
  const rests = `It was decided on ${dayText(last.at)}; new reports do not ask again for ${REVIEW_STANDS_MS / DAY_MS} days. `;
  return `${last.at < at ? rests : ''}${sentence} Reason: ${last.reason}`;
}
