import { CLOCKS_DIFFER_MS } from '../clocks.ts';
import type { RankingContext } from '../context.ts';
import { hourOf } from '../core/operator-state/index.ts';
import { applyFacts } from '../ingest/apply-facts.ts';

/** A list held for longer belongs to a writer that died. */
const ABANDONED_MS = 30_000;
/** Operators brought to the new hour by one round. */
const OPERATORS_A_ROUND = 500;

/**
 * Brings every operator whose totals move by themselves to the present hour and lists them, so that the board's hour can
 * follow. Safe to repeat and to run in several processes at once. Answers how many were brought along.
 */
export async function advanceHour(context: RankingContext): Promise<number> {
  const { stores, clock, failpoint } = context;
  const now = clock();
  const hour = hourOf(now);
  await stores.dirtySets.commitAbandoned(new Date(now - ABANDONED_MS), new Date(now + CLOCKS_DIFFER_MS));
  await failpoint('advance.released');
  let turned = 0;
  for (;;) {
    const due = await stores.operators.due(hour, OPERATORS_A_ROUND);
    if (due.length === 0) break;
    // What this process remembers of them may be older than what made them due.
    for (const operator of due) context.operatorStates.delete(operator);
    const list = await stores.dirtySets.prepare(due, clock());
    await failpoint('advance.prepared');
    await applyFacts(context, new Map(due.map((operator) => [operator, []])), hour, new Date(clock()));
    await failpoint('advance.written');
    await stores.dirtySets.commit(list, clock());
    await failpoint('advance.committed');
    turned += due.length;
  }
  if (turned > 0) context.report.hourAdvanced({ hour, operators: turned });
  return turned;
}
