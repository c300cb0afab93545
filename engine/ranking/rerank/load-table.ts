import type { RankingContext } from '../context.ts';
import { WINDOW_COUNT, YieldTable } from '../core/board/index.ts';
import type { RerankRunDocument } from '../mongo/rerank-documents.ts';

/** The Yields of everybody that a run's ranges hold, put together; null while a range is missing. */
export async function loadTable({ stores }: RankingContext, run: RerankRunDocument): Promise<YieldTable | null> {
  const yields = new Float64Array((run.operators + 1) * WINDOW_COUNT);
  for (let range = 0; range < run.ranges; range++) {
    const part = await stores.rerankParts.read(run._id, range);
    if (part === null) return null;
    yields.set(part, range * run.range_operators * WINDOW_COUNT);
  }
  return new YieldTable(yields);
}
