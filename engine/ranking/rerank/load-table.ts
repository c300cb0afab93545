import type { RankingContext } from '../context.ts';
import { WINDOW_COUNT, YieldTable } from '../core/board/index.ts';
import { forEachConcurrent } from '../storage/for-each-concurrent.ts';
import type { RerankRunDocument } from '../storage/rerank-documents.ts';

/** Parts read at once. */
const PARTS_AT_ONCE = 3;

/** The Yields of everybody that a run's ranges hold, put together; null while a range is missing. */
export async function loadTable({ stores }: RankingContext, run: RerankRunDocument): Promise<YieldTable | null> {
  const yields = new Float64Array((run.operators + 1) * WINDOW_COUNT);
  let missing = false;
  await forEachConcurrent(rangesOf(run), PARTS_AT_ONCE, async (range) => {
    if (missing) return;
    const part = await stores.rerankParts.read(run._id, range);
    if (part === null) missing = true;
    else yields.set(part, range * run.range_operators * WINDOW_COUNT);
  });
  return missing ? null : new YieldTable(yields);
}

function* rangesOf({ ranges }: RerankRunDocument): Generator<number> {
  for (let range = 0; range < ranges; range++) yield range;
}
