import type { RankingContext } from '../context.ts';
import { amendOperator } from '../operators/amend-operator.ts';

/** Sets the finding (its bit) in the records of those operators where it holds, and removes it from those of the others. */
export async function assertFinding(
  context: RankingContext,
  finding: number,
  operators: readonly number[],
  holding: ReadonlySet<number>,
): Promise<void> {
  for (const { operator, assertions } of await context.stores.operators.summaries(operators)) {
    const set = holding.has(operator) ? finding : 0;
    if (set === (assertions.findings & finding)) continue;
    await amendOperator(context, operator, { findings: { set, remove: finding } });
  }
}
