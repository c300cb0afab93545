import type { RankingContext } from '../context.ts';
import { isInterruption } from '../storage/store-errors.ts';
import type { Stores } from '../storage/stores.ts';
import { timeOrderedId } from '../storage/unique-id.ts';
import type { AppendOutcome, LogEntry } from '../types.ts';

/**
 * Appends entries to the snapshot log as one new batch, journaled; returns the outcomes in order. After this returns, a
 * `stored` entry may be acknowledged: it gets a verdict even if its job is lost. Throws when the store does not confirm the
 * write.
 *
 * When the store fails on the way, for example because its primary steps down, it tries once more, as another batch: the first may
 * have its verdict by then, and no entry may join it. What the first attempt stored is `repeated`, and reconciliation queues it.
 */
export async function appendBatch(
  { stores, clock, failpoint }: Pick<RankingContext, 'clock' | 'failpoint'> & { readonly stores: Pick<Stores, 'log'> },
  entries: readonly LogEntry[],
): Promise<AppendOutcome[]> {
  const append = () => stores.log.append(timeOrderedId(clock()), entries);
  const outcomes = await append().catch((error: unknown) => {
    if (!isInterruption(error)) throw error;
    return append();
  });
  await failpoint('log.appended');
  return outcomes;
}
