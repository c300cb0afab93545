import { HOUR_MS } from '../../../config/units.ts';
import type { RankingContext } from '../context.ts';
import {
  collectSamples,
  countDaysBefore,
  DAILY_DAYS,
  dayOf,
  dayOfReceipt,
  firstHourOf,
  hourOf,
  readSamples,
  samplesOf,
  type UsageSample,
} from '../core/operator-state/index.ts';
import { NO_ROLLUP } from '../storage/rollups.ts';
import { countedEntries, countedFacts, DamagedRollupError } from './states-from-log.ts';

/** Log entries per round. */
const ENTRIES_A_ROUND = 1_000;
/** A snapshot's time may be this far ahead of its receipt. */
const AHEAD_MS = 10 * 60_000;

/**
 * Deletes snapshots that no window can distinguish any more: those received before the oldest daily sample. First adds their
 * facts to the operator's rollup, so that the totals remain computable from the log and the rollup. Safe to repeat and to run
 * in several processes concurrently. Returns the number of deleted entries.
 */
export async function retainLog(context: RankingContext): Promise<number> {
  const { stores, clock, report } = context;
  const hour = hourOf(clock());
  const until = firstHourOf(dayOf(hour) - DAILY_DAYS) * HOUR_MS - AHEAD_MS;
  let removed = 0;
  for (let after = ''; ; ) {
    const entries = await stores.log.oldest(after, until, ENTRIES_A_ROUND);
    // Keep undecided entries: `reconcileLog` needs them.
    const decidedEntries = (await countedEntries(context, entries)).filter(({ decided }) => decided);
    for (const [operator, facts] of countedFacts(decidedEntries))
      await rollup(context, facts, { operator, until, hour });
    await stores.log.remove(decidedEntries.map(({ kept }) => kept.id));
    removed += decidedEntries.length;
    await removeVerdicts(context, [...new Set(decidedEntries.map(({ kept }) => kept.batch))]);
    const last = entries.at(-1);
    if (last === undefined || entries.length < ENTRIES_A_ROUND) break;
    // The round may have cut a batch, so the next one begins with that batch.
    after = entries.findLast(({ batch }) => batch !== last.batch)?.batch ?? last.batch;
  }
  if (removed > 0) report.rolledUp?.(removed);
  return removed;
}

/** Adds facts of entries received before `until` (milliseconds) to an operator's rollup. Throws DamagedRollupError; the entries then stay in the log. */
async function rollup(
  { stores }: RankingContext,
  facts: readonly UsageSample[],
  { operator, until, hour }: Readonly<Record<'operator' | 'until' | 'hour', number>>,
): Promise<void> {
  for (;;) {
    if ((await stores.operators.recordRevision(operator)) === null) return;
    const found = await stores.rollups.find(operator);
    if (found.kind === 'damaged') throw new DamagedRollupError(operator);
    const former = found.kind === 'rollup' ? found.rollup : NO_ROLLUP;
    // Entries come in order of receipt, nearly: days before the first of these are complete, so that they can be counted.
    const day = Math.min(...facts.map(({ receipt = 0 }) => dayOfReceipt(receipt))) - 1;
    const completed = countDaysBefore(readSamples(former.facts, former.older, hour), day);
    const { operatorState } = collectSamples(completed, facts);
    const next = {
      until: Math.max(former.until, until),
      facts: samplesOf(operatorState),
      older: operatorState.older,
    };
    if (await stores.rollups.replace(operator, found.kind === 'rollup' ? found.checksum : null, next)) return;
  }
}

/** Removes the verdicts of batches without entries. */
async function removeVerdicts({ stores }: RankingContext, batches: readonly string[]): Promise<void> {
  if (batches.length === 0) return;
  const kept = await stores.log.batchesAmong(batches);
  await stores.verdicts.remove(batches.filter((batch) => !kept.has(batch)));
}
