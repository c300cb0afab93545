import type { Methodology } from '../../../config/methodologies/methodology.ts';
import type { RankingContext } from '../context.ts';
import { makeSegment, type Segment, WINDOW_COUNT, type YieldChange, type YieldTable } from '../core/board/index.ts';
import { yieldUnder } from '../core/score.ts';
import { writeYields } from './operator-yields.ts';

/** Records read by one command. */
const RECORDS_A_READ = 2_000;

/**
 * Scores the operators' present records and brings the table up to them; answers what that changed. Operators without a
 * record, such as numbers that were never given away, are unranked.
 */
export async function rescore(
  { stores }: RankingContext,
  table: YieldTable,
  methodology: Methodology,
  operators: Iterable<number>,
): Promise<Segment> {
  const yieldOf = yieldUnder(methodology);
  const numbers = [...new Set(operators)];
  const changes: YieldChange[] = [];
  for (let first = 0; first < numbers.length; first += RECORDS_A_READ) {
    const some = numbers.slice(first, first + RECORDS_A_READ);
    const batch = await stores.operators.totalsOf(some);
    const indices = new Map(Array.from(batch.operators, (operator, index) => [operator, index]));
    for (const operator of some) {
      const after = new Float64Array(WINDOW_COUNT).fill(Number.NaN);
      const index = indices.get(operator);
      if (index !== undefined) writeYields(batch, index, yieldOf, after, 0);
      changes.push({ operator, before: table.of(operator).slice(), after });
    }
  }
  const segment = makeSegment(changes);
  table.apply(segment);
  return segment;
}
