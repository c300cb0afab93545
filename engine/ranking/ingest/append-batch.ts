import type { RankingContext } from '../context.ts';
import { timeOrderedId } from '../storage/unique-id.ts';
import type { AppendOutcome, LogEntry } from '../types.ts';

/**
 * Appends entries to the snapshot log as one new batch, journaled; returns the outcomes in order. After this returns, a
 * `stored` entry may be acknowledged: it gets a verdict even if its job is lost. Throws when the store does not confirm the
 * write.
 */
export async function appendBatch(
  { stores, clock, failpoint }: RankingContext,
  entries: readonly LogEntry[],
): Promise<AppendOutcome[]> {
  const outcomes = await stores.log.append(timeOrderedId(clock()), entries);
  await failpoint('log.appended');
  return outcomes;
}
