import type { RankingContext } from '../context.ts';
import type { RecordAmendment } from '../storage/operator-amendments.ts';

/** What an amendment may change; what is absent stays. */
export type Amendment = RecordAmendment;

/** Changes names or listing, and lists the operator for the next commit. False when it is gone or the codename is taken. */
export function amendOperator(context: RankingContext, operator: number, amendment: Amendment): Promise<boolean> {
  return changeRecord(context, operator, (at) => context.stores.operators.amend(operator, amendment, at));
}

/** Makes a change of an operator's record that nothing repeats, and lists the operator for the next commit. */
export async function changeRecord<Result>(
  { stores, operatorStates, clock, failpoint }: RankingContext,
  operator: number,
  change: (at: Date) => Promise<Result>,
): Promise<Result> {
  const list = await stores.dirtySets.hold([operator], clock());
  await failpoint('amend.prepared');
  const changed = await change(new Date(clock()));
  operatorStates.delete(operator);
  await failpoint('amend.written');
  await stores.dirtySets.release(list, clock());
  await failpoint('amend.committed');
  return changed;
}
