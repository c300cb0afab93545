import type { RankingContext } from '../context.ts';
import type { RecordAmendment } from '../storage/operator-changes.ts';

/** Changes names or listing and marks the operator dirty. False when the operator is gone or the codename is taken. */
export function amendOperator(context: RankingContext, operator: number, amendment: RecordAmendment): Promise<boolean> {
  return changeRecord(context, operator, (at) => context.stores.operators.amend(operator, amendment, at));
}

/** Writes a change that no job repeats, within a write intent for the operator. */
export async function changeRecord<Result>(
  { stores, operatorStates, clock, failpoint }: RankingContext,
  operator: number,
  change: (at: Date) => Promise<Result>,
): Promise<Result> {
  const intent = await stores.dirtySets.prepare([operator], clock());
  await failpoint('amend.prepared');
  const changed = await change(new Date(clock()));
  operatorStates.delete(operator);
  await failpoint('amend.written');
  await stores.dirtySets.commit(intent, clock());
  await failpoint('amend.committed');
  return changed;
}
