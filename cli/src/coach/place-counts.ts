import type { Counts } from '../../../engine/contract/signing/index.ts';
import { missingIn } from '../../../engine/contract/unranked.ts';
import { fetchStanding, type PublicBoard } from '../net/public-board.ts';
import { yieldOf } from '../views/usage-rows.ts';

/** Counts on a board. */
export type PlacedCounts = Readonly<Awaited<ReturnType<typeof placeCounts>>>;

/** Places counts on a board: one request, in which their Yield is. `board`: the reason where it cannot be read. */
export async function placeCounts(counts: Counts, board: PublicBoard | string) {
  const yield_ = yieldOf(counts);
  /** What they lack for the methodology's floors: then they have neither rank nor tier. */
  const missing = typeof board === 'string' ? [] : missingIn(counts, board.floors);
  const found = typeof board === 'string' ? board : yield_ === null ? null : await fetchStanding(board, yield_);
  const [at, reason] = typeof found === 'string' ? [null, found] : [found, null];
  return {
    counts,
    yield_,
    missing,
    /** Null without a Yield, below the floors, and for a `reason`. */
    standing: missing.length === 0 ? at : null,
    /** Where their Yield stands, also of counts below the floors. */
    at,
    reason,
  };
}
