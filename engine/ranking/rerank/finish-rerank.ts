import type { RankingContext } from '../context.ts';
import { WINDOW_COUNT, YieldTable } from '../core/board/index.ts';
import { methodologyOf } from '../methodology-of.ts';
import { forEachConcurrent } from '../storage/for-each-concurrent.ts';
import type { RerankRunDocument } from '../storage/reranks.ts';
import { catchUp } from './catch-up.ts';
import { endRerank } from './end-rerank.ts';
import { previewBoard } from './preview-board.ts';
import { switchBoard } from './switch-board.ts';
import { writeRerankBase } from './write-rerank-base.ts';

const CONCURRENT_PART_READS = 3;

/** `incomplete`: a range is not scored. `gone`: the run is no longer current, or another process finishes it. */
export type RerankOutcome = 'switched' | 'previewed' | 'incomplete' | 'gone';

/**
 * Finishes a run whose ranges are scored: publishes its board, or reports the rank changes. Safe to repeat after a crash at
 * any point: nothing is visible before the manifest write that switches the board.
 */
export async function finishRerank(context: RankingContext, id: string): Promise<RerankOutcome> {
  const { stores, failpoint } = context;
  const run = await stores.rerankRuns.find(id);
  const rerank = (await stores.board.read())?.rerank;
  if (run === null || rerank?.run !== id) return 'gone';
  const table = await loadTable(context, run);
  if (table === null) return 'incomplete';
  await failpoint('rerank.table_read');
  const catching = catchUp(context, table, methodologyOf(context, run), rerank.version);
  await catching.drain();
  if (run.kind === 'preview') {
    const end = { state: 'previewed', report: await previewBoard(context, run, table), error: null } as const;
    // The report first: the next process removes an ended run from the manifest.
    await stores.rerankRuns.end(id, { ...end, ended_at: new Date(context.clock()) });
    return (await endRerank(context, id, end)) ? 'previewed' : 'gone';
  }
  const base = await writeRerankBase(context, run, table);
  const version = base === null ? null : await switchBoard(context, run, base, catching);
  if (version === null) return 'gone';
  await failpoint('rerank.manifest_written');
  await endSwitched(context, run);
  await failpoint('rerank.run_ended');
  return 'switched';
}

/** Records that a run has switched the board. Call it only after the manifest write. */
export async function endSwitched({ stores, clock, report }: RankingContext, run: RerankRunDocument): Promise<void> {
  await stores.rerankRuns.end(run._id, { state: 'switched', ended_at: new Date(clock()), error: null, report: null });
  report.switched({ from: run.from, to: run.methodology, rolledBack: false });
}

/** The Yields of all ranges of a run as one table; null while a range is not scored. */
async function loadTable({ stores }: RankingContext, run: RerankRunDocument): Promise<YieldTable | null> {
  const yields = new Float64Array((run.operators + 1) * WINDOW_COUNT);
  let missing = false;
  await forEachConcurrent(rangesOf(run), CONCURRENT_PART_READS, async (range) => {
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
