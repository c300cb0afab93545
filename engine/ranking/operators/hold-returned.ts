import { bitOf, ruleNamed } from '../../integrity/index.ts';
import type { RankingContext } from '../context.ts';
import { amendOperator } from './amend-operator.ts';

const RETURNED = bitOf(ruleNamed('returned'));

/** Holds the rows of an operator whose sign-in was excluded and erased, or ends that. Writes nothing where it is so already. */
export async function holdReturned(context: RankingContext, operator: number, held: boolean): Promise<void> {
  const [summary] = await context.stores.operators.summaries([operator]);
  if (summary === undefined || ((summary.assertions.findings & RETURNED) !== 0) === held) return;
  await amendOperator(context, operator, {
    findings: { set: held ? RETURNED : 0, remove: held ? 0 : RETURNED },
  });
}
