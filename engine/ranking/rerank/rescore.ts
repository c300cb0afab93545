import { scoreOperators } from '../board/score-operators.ts';
import type { RankingContext } from '../context.ts';
import { makeSegment, type Segment, type YieldTable } from '../core/board/index.ts';
import type { Methodology } from '../methodologies/methodology.ts';

/** Scores the operators' present records and brings the table up to them; answers what that changed. */
export async function rescore(
  { stores }: RankingContext,
  table: YieldTable,
  methodology: Methodology,
  operators: ReadonlySet<number>,
): Promise<Segment> {
  const segment = makeSegment(await scoreOperators(stores.operators, table, methodology, operators));
  table.apply(segment);
  return segment;
}
