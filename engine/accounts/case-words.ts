import { HOUR_MS } from '../../config/units.ts';
import { RULES } from '../integrity/index.ts';
import { type Effect, REPORTED_RULE, REVIEW_RULE } from './case-types.ts';
import { EVIDENCE_DELAY_MS } from './limits.ts';

/** From a finding that does not exclude to its public evidence. */
export const EVIDENCE_DELAY_WORDS = `${EVIDENCE_DELAY_MS / HOUR_MS} hours`;

/** What a rule says about a row, for people. */
export function ruleSentence(rule: string): string {
  if (rule === REPORTED_RULE) return 'Readers reported these counts as not plausible.';
  if (rule === REVIEW_RULE) return 'A moderator reviewed whether these counts are plausible.';
  return RULES.find(({ name }) => name === rule)?.sentence ?? `These counts cross a bound of the rule ${rule}.`;
}

/** What a moderator decided, for both sides. */
export const DECISION_SENTENCES: Readonly<Record<Effect, string>> = {
  exclude: 'A moderator excluded the row from the boards.',
  void: 'A moderator found the counts plausible, and voided the finding.',
  restore: 'A moderator left the row to the rules: what they find applies.',
};
