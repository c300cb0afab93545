import { scoreOperators } from '../board/score-operators.ts';
import type { RankingContext } from '../context.ts';
import { makeSegment, type Segment, type YieldTable } from '../core/board/index.ts';
import type { Methodology } from '../methodologies/methodology.ts';

/** `drain` stops after a round that finds at most this many operators. */
const FEW_OPERATORS = 2_000;
/** `drain` stops after this many rounds in any case: the switch applies the rest. */
const MAX_ROUNDS = 20;

export type CatchUp = ReturnType<typeof catchUp>;

/** Applies the changes in the catch-up log after `version` to a table of Yields under `methodology`. */
export function catchUp(context: RankingContext, table: YieldTable, methodology: Methodology, version: number) {
  const seen = new Set<string>();

  async function step(others: Iterable<number>): Promise<{ found: number; segment: Segment }> {
    const operators = await context.stores.catchUpLog.unseen(version, seen);
    await context.failpoint('rerank.catch_up_read');
    const found = operators.size;
    for (const operator of others) operators.add(operator);
    return { found, segment: await rescore(context, table, methodology, operators) };
  }

  return {
    /**
     * Rescores the operators logged since the last call, and `others`; returns the changes. Afterwards the table includes
     * all changes in the version of any manifest that was read before the call.
     */
    next: async (others: Iterable<number>): Promise<Segment> => (await step(others)).segment,
    /** Calls `next` until few changes remain. */
    async drain(): Promise<void> {
      for (let round = 0; round < MAX_ROUNDS; round++) {
        if ((await step([])).found <= FEW_OPERATORS) return;
      }
    },
  };
}

/** Scores the operators' current records and writes their Yields to the table; returns the changes. */
async function rescore(
  { stores }: RankingContext,
  table: YieldTable,
  methodology: Methodology,
  operators: ReadonlySet<number>,
): Promise<Segment> {
  const { changes } = await scoreOperators(stores, table, methodology, operators);
  const segment = makeSegment(changes);
  table.apply(segment);
  return segment;
}
