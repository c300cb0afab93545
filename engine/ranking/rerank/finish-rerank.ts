import type { RankingContext } from '../context.ts';
import { methodologyOf } from '../methodology-of.ts';
import type { RerankRunDocument } from '../storage/rerank-documents.ts';
import { catchUp } from './catch-up.ts';
import { endRerank } from './end-rerank.ts';
import { loadTable } from './load-table.ts';
import { previewBoard } from './preview-board.ts';
import { switchBoard } from './switch-board.ts';
import { writeRerankBase } from './write-rerank-base.ts';

/** `incomplete`: a range is not scored. `gone`: the run is no longer under way, or somebody else finishes it. */
export type RerankOutcome = 'switched' | 'previewed' | 'incomplete' | 'gone';

/**
 * Finishes a run whose ranges are scored: publishes its board, or reports what it would move. Safe to repeat after a kill
 * anywhere: nothing of it is to be seen before the one write that switches the board.
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
  await catching.nearly();
  if (run.kind === 'preview') {
    const end = { state: 'previewed', report: await previewBoard(context, run, table), error: null } as const;
    // Its report first: a run that has ended is taken off the root by whoever comes next.
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

/** Says of a run that it has switched the board, once the root says so. */
export async function endSwitched({ stores, clock, report }: RankingContext, run: RerankRunDocument): Promise<void> {
  await stores.rerankRuns.end(run._id, { state: 'switched', ended_at: new Date(clock()), error: null, report: null });
  report.switched({ from: run.from, to: run.methodology, rolledBack: false });
}
