import type { RankingContext } from '../context.ts';
import { hourOf } from '../core/operator-state/index.ts';
import { CODENAME_REST_MS } from './rename-operator.ts';

/**
 * Erases an operator: names, totals, streams, snapshots, the sketch of its series, and its place on every board from
 * the next commit on. Its number remains, also in kept boards, and is never reused. Its codename stays reserved like that of a renamed operator, as a keyed
 * hash. Safe to repeat; false when the operator does not exist.
 */
export async function eraseOperator(context: RankingContext, operator: number): Promise<boolean> {
  const { stores, operatorStates, clock, failpoint } = context;
  // Of a replayed erasure, the operator may be newer than the restored data.
  await stores.operators.skipNumbers(operator);
  const intent = await stores.dirtySets.prepare([operator], clock());
  await failpoint('erase.prepared');
  const existed = await eraseRecord(context, operator);
  operatorStates.delete(operator);
  await failpoint('erase.written');
  await stores.dirtySets.commit(intent, clock());
  await failpoint('erase.committed');
  await stores.log.eraseOf(operator);
  await failpoint('erase.log_deleted');
  await stores.rollups.erase(operator);
  await failpoint('erase.rollup_deleted');
  await stores.seriesSketches.erase(operator);
  await stores.heldRows.erase(operator);
  await failpoint('erase.sketch_deleted');
  await stores.codenameHolds.eraseOf(String(operator), clock());
  await failpoint('erase.names_released');
  return existed;
}

/** Reserves the codename before releasing it. Retries after a concurrent rename; renames are limited. */
async function eraseRecord({ stores, clock, failpoint }: RankingContext, operator: number): Promise<boolean> {
  for (;;) {
    const codename = (await stores.operators.names(operator))?.codename ?? '';
    if (codename !== '') await stores.codenameHolds.holdErased(codename, new Date(clock() + CODENAME_REST_MS));
    await failpoint('erase.name_held');
    const erased = await stores.operators.erase(operator, codename, new Date(clock()), hourOf(clock()));
    if (erased !== 'renamed') return erased === 'erased';
  }
}
