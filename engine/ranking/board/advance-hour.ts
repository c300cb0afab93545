import { isDeepStrictEqual } from 'node:util';
import type { RankingContext } from '../context.ts';
import { hourOf } from '../core/operator-state/index.ts';
import { applyFacts } from '../ingest/apply-facts.ts';
import { CLOCKS_DIFFER_MS } from '../storage/leases.ts';

/** A write intent that is pending for longer belongs to a process that died. */
const ABANDONED_INTENT_MS = 30_000;
const OPERATORS_PER_ROUND = 500;

/**
 * Advances every operator whose totals change with the current hour, and marks it dirty, so that the board's hour can
 * advance. Safe to repeat and to run in several processes concurrently. Returns the number of operators advanced.
 */
export async function advanceHour(context: RankingContext): Promise<number> {
  const { stores, clock, failpoint } = context;
  const now = clock();
  const hour = hourOf(now);
  await stores.dirtySets.commitAbandoned(new Date(now - ABANDONED_INTENT_MS), new Date(now + CLOCKS_DIFFER_MS));
  await failpoint('advance.released');
  let advanced = 0;
  for (let former: readonly number[] = []; ; ) {
    const due = await stores.operators.due(hour, OPERATORS_PER_ROUND);
    if (due.length === 0) break;
    if (isDeepStrictEqual(due, former)) throw new Error(`the totals of ${due.length} operators do not advance`);
    former = due;
    // A cached state that is older than the stored one that is due would lose its write, which takes a second round.
    for (const operator of due) context.operatorStates.delete(operator);
    const intent = await stores.dirtySets.prepare(due, clock());
    await failpoint('advance.prepared');
    await applyFacts(context, new Map(due.map((operator) => [operator, []])), hour, new Date(clock()));
    await failpoint('advance.written');
    await stores.dirtySets.commit(intent, clock());
    await failpoint('advance.committed');
    advanced += due.length;
  }
  if (advanced > 0) context.report.hourAdvanced?.({ hour, operators: advanced });
  return advanced;
}
