import { bitOf, type Review, ruleNamed, WAIVERS, waiverOf } from '../../integrity/index.ts';
import type { RankingContext } from '../context.ts';
import { amendOperator } from './amend-operator.ts';

const REVIEW = bitOf(ruleNamed('review'));
const COPY = 'identical-series';
const IDENTICAL = bitOf(ruleNamed(COPY));
const RETURNED = bitOf(ruleNamed('returned'));

/** Brings a review of an operator into effect. False when the operator is gone. Safe to repeat. */
export async function applyReview(
  context: RankingContext,
  operator: number,
  { excluded, cleared }: Review,
): Promise<boolean> {
  const waived = new Float64Array(WAIVERS);
  for (const { rule, covers } of cleared) {
    const place = waiverOf(rule);
    if (place >= 0) waived[place] = Math.max(0, ...covers);
  }
  const rivals = cleared.find(({ rule }) => rule === COPY)?.covers ?? [];
  const isCopy = await context.stores.seriesSketches.clear(operator, rivals);
  const set = (excluded ? REVIEW : 0) | (isCopy ? IDENTICAL : 0);
  return amendOperator(context, operator, { findings: { set, remove: REVIEW | IDENTICAL }, waived });
}

/** Holds the rows of an operator whose sign-in was excluded and erased, or ends that. Writes nothing where it is so already. */
export async function holdReturned(context: RankingContext, operator: number, held: boolean): Promise<void> {
  const [summary] = await context.stores.operators.summaries([operator]);
  if (summary === undefined || ((summary.assertions.findings & RETURNED) !== 0) === held) return;
  await amendOperator(context, operator, { findings: { set: held ? RETURNED : 0, remove: RETURNED } });
}
