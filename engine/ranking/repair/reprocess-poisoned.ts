import type { RankingContext } from '../context.ts';
import { reprocessEntry } from '../ingest/process-batch.ts';
import type { Verdict } from '../types.ts';

/** Entries reprocessed per call. */
const ENTRIES_A_CALL = 1_000;

/** Result for one entry; `failed` when it still cannot be processed. */
export type ReprocessedEntry =
  | { readonly kind: 'processed'; readonly verdict: Verdict }
  | { readonly kind: 'failed'; readonly operator: number; readonly jti: string; readonly error: unknown };

/** Reprocesses entries that were refused as `entry_poisoned`. */
export async function reprocessPoisoned(context: RankingContext): Promise<readonly ReprocessedEntry[]> {
  const { stores } = context;
  const reprocessed: ReprocessedEntry[] = [];
  for (const { batch, operator, jti } of await stores.verdicts.poisoned(ENTRIES_A_CALL)) {
    const logged = await stores.log.find(operator, jti);
    if (logged === null) continue;
    try {
      reprocessed.push({ kind: 'processed', verdict: await reprocessEntry(context, batch, logged.entry) });
    } catch (error) {
      reprocessed.push({ kind: 'failed', operator, jti, error });
    }
  }
  return reprocessed;
}
