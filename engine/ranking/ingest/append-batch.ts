import type { RankingContext } from '../context.ts';
import { timeOrderedId } from '../storage/unique-id.ts';
import type { AppendOutcome, LogEntry } from '../types.ts';

/**
 * Writes entries that arrived together into the log, journaled, under one new group; answers each in order. Once this has
 * answered, a `stored` entry may be acknowledged: it will be judged even if nobody asks for it. Throws when the store does
 * not confirm.
 */
export async function appendBatch(
  { stores, clock, failpoint }: RankingContext,
  entries: readonly LogEntry[],
): Promise<AppendOutcome[]> {
  const outcomes = await stores.log.append(timeOrderedId(clock()), entries);
  await failpoint('log.appended');
  return outcomes;
}
