import { bitOf, maskOf, ruleNamed } from '../../integrity/index.ts';
import type { RankingContext } from '../context.ts';
import { amendOperator } from './amend-operator.ts';

/**
 * Brings a review of an operator into effect: excludes it from the boards or no longer, and waives exactly the voided rules.
 * Names without a rule, such as those of reports, waive nothing. False when the operator is gone. Safe to repeat.
 */
export function applyReview(
  context: RankingContext,
  operator: number,
  { excluded, voided }: { readonly excluded: boolean; readonly voided: readonly string[] },
): Promise<boolean> {
  const review = bitOf(ruleNamed('review'));
  const waived = maskOf(({ name }) => voided.includes(name)) & ~review;
  return amendOperator(context, operator, {
    findings: { set: excluded ? review : 0, remove: review },
    cleared: { set: waived, remove: ~waived },
  });
}
