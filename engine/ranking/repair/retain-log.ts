import type { RankingContext } from '../context.ts';
import {
  applySamples,
  DAILY_DAYS,
  dayOf,
  emptyState,
  firstHourOf,
  HOUR_MS,
  hourOf,
  samplesOf,
  type UsageSample,
} from '../core/operator-state/index.ts';
import { countedEntries, factsByOperator } from './counted-facts.ts';
import { DamagedRollupError } from './states-from-log.ts';

/** Entries of the log taken by one round. */
const ENTRIES_A_ROUND = 1_000;
/** A snapshot may be true for a moment this far ahead of the one at which it was received. */
const AHEAD_MS = 10 * 60_000;

/**
 * Lets snapshots go that no window can tell apart any more: those received before the oldest daily mark. What they came to
 * is added to their operator's carry mark first, so that its totals can be told from the log and the mark at any time.
 * Safe to repeat and to run in several processes at once. Answers how many entries went.
 */
export async function retainLog(context: RankingContext): Promise<number> {
  const { stores, clock, report } = context;
  const hour = hourOf(clock());
  const until = firstHourOf(dayOf(hour) - DAILY_DAYS) * HOUR_MS - AHEAD_MS;
  let gone = 0;
  for (let after = ''; ; ) {
    const entries = await stores.operatorLog.oldest(after, until, ENTRIES_A_ROUND);
    // Entries without a verdict stay where the reconciler finds them.
    const settled = (await countedEntries(context, entries)).filter(({ decided }) => decided);
    for (const [operator, facts] of factsByOperator(settled)) await rollup(context, operator, facts, until, hour);
    await stores.operatorLog.remove(settled.map(({ kept }) => kept.id));
    gone += settled.length;
    await forgetVerdicts(context, [...new Set(settled.map(({ kept }) => kept.batch))]);
    const last = entries.at(-1);
    if (last === undefined || entries.length < ENTRIES_A_ROUND) break;
    // A group is larger than what one round may have left of it: what follows begins with the group itself.
    after = entries.findLast(({ batch }) => batch !== last.batch)?.batch ?? last.batch;
  }
  if (gone > 0) report.rolledUp(gone);
  return gone;
}

/** Adds facts to an operator's carry mark. Throws DamagedRollupError, and the entries stay in the log then. */
async function rollup(
  { stores }: RankingContext,
  operator: number,
  facts: readonly UsageSample[],
  until: number,
  hour: number,
): Promise<void> {
  for (;;) {
    if ((await stores.operators.recordRevision(operator)) === null) return;
    const found = await stores.rollups.find(operator);
    if (found.kind === 'damaged') throw new DamagedRollupError(operator);
    const former = found.kind === 'rollup' ? found.rollup : { until: 0, facts: [] };
    const { operatorState } = applySamples(emptyState(hour), [...former.facts, ...facts], hour);
    const next = { until: Math.max(former.until, until), facts: samplesOf(operatorState) };
    if (await stores.rollups.replace(operator, found.kind === 'rollup' ? found.checksum : null, next)) return;
  }
}

/** Forgets the verdicts of groups that have no entries any more. */
async function forgetVerdicts({ stores }: RankingContext, batches: readonly string[]): Promise<void> {
  if (batches.length === 0) return;
  const kept = await stores.operatorLog.batchesAmong(batches);
  await stores.verdicts.remove(batches.filter((batch) => !kept.has(batch)));
}
