import type { RankingContext } from '../context.ts';
import { hourOf } from '../core/standing/index.ts';

/**
 * Forgets an operator: names, totals, streams, snapshots, and its place on every board from the next commit on. Its
 * number stays, in kept boards as well, and is never given again. Safe to repeat; false when there is no such operator.
 */
export async function eraseOperator(context: RankingContext, operator: number): Promise<boolean> {
  const { stores, standings, clock, reach } = context;
  const list = await stores.changeLists.hold([operator], clock());
  await reach('erase.held');
  const existed = await stores.operators.erase(operator, new Date(clock()), hourOf(clock()));
  standings.delete(operator);
  await reach('erase.written');
  await stores.changeLists.release(list, clock());
  await reach('erase.listed');
  await stores.log.eraseOf(operator);
  await reach('erase.log_deleted');
  await stores.carries.erase(operator);
  await reach('erase.carry_deleted');
  await stores.codenameHolds.releaseAll(String(operator));
  await reach('erase.names_released');
  return existed;
}
