import { bitOf, ruleNamed, WAIVERS, waiverOf } from '../../integrity/index.ts';
import type { RankingContext } from '../context.ts';
import { amendOperator } from './amend-operator.ts';

/** What a review decides about an operator. */
export interface ReviewEffect {
  readonly excluded: boolean;
  /** Rules that it cleared, each up to a value of what it measures. Names without a waiver, such as those of reports, waive nothing. */
  readonly cleared: readonly { readonly rule: string; readonly covers: number }[];
}

/** Brings a review of an operator into effect. False when the operator is gone. Safe to repeat. */
export function applyReview(
  context: RankingContext,
  operator: number,
  { excluded, cleared }: ReviewEffect,
): Promise<boolean> {
  const review = bitOf(ruleNamed('review'));
  const waived = new Float64Array(WAIVERS);
  for (const { rule, covers } of cleared) {
    const place = waiverOf(rule);
    if (place >= 0) waived[place] = Math.max(waived[place]!, covers);
  }
  return amendOperator(context, operator, { findings: { set: excluded ? review : 0, remove: review }, waived });
}
