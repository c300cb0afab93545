import type { RankingContext } from '../context.ts';
import type { Segment, YieldTable } from '../core/board/index.ts';
import type { Methodology } from '../methodologies/methodology.ts';
import { rescore } from './rescore.ts';

/** A round of catching up that finds no more operators than this is followed closely enough. */
const FEW_OPERATORS = 2_000;
/** Rounds before going on all the same: the rest is caught up with at the switch. */
const MAX_ROUNDS = 20;

/** Keeps a table up to what commits take from change lists. */
export interface CatchUp {
  /**
   * Rescores whoever came to the trail since the last call, and `others`; answers what that changed. Whatever a root that
   * was read before this call has taken from change lists is in the table after it.
   */
  next(others?: Iterable<number>): Promise<Segment>;
  /** Calls `next` until little is left to do. */
  nearly(): Promise<void>;
}

/** Follows the trail from after `version` on for a table of a methodology. */
export function catchUp(
  context: RankingContext,
  table: YieldTable,
  methodology: Methodology,
  version: number,
): CatchUp {
  const seen = new Set<string>();

  async function step(others: Iterable<number>): Promise<{ found: number; segment: Segment }> {
    const operators = await context.stores.catchUpLog.unseen(version, seen);
    await context.failpoint('rerank.catch_up_read');
    const found = operators.size;
    for (const operator of others) operators.add(operator);
    return { found, segment: await rescore(context, table, methodology, operators) };
  }

  return {
    next: async (others = []) => (await step(others)).segment,
    async nearly() {
      for (let round = 0; round < MAX_ROUNDS; round++) {
        if ((await step([])).found <= FEW_OPERATORS) return;
      }
    },
  };
}
