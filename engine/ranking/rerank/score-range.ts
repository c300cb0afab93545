import { scoreBatch, scoreRows } from '../board/score-operators.ts';
import { methodologyOf, type RankingContext } from '../context.ts';
import { WINDOW_COUNT } from '../core/board/index.ts';
import { noRows } from '../core/row-counts.ts';
import { scoreRecord } from '../core/score-record.ts';
import { pauseForIngest } from '../ingest/live-ingest.ts';
import type { Methodology } from '../methodologies/methodology.ts';
import { forEachConcurrent, steps } from '../storage/for-each-concurrent.ts';
import type { RerankPart, RerankRunDocument } from '../storage/reranks.ts';
import { recordAt, type TotalsBatch } from '../storage/totals-batch.ts';

/** Records per query: scoring them blocks the event loop for about 2 ms. */
const RECORDS_PER_READ = 2_000;
/** Two, so that the store reads while the previous records are transferred and scored. */
const CONCURRENT_READS = 2;

/** `present`: already scored. `gone`: the run is no longer current. */
export type RangeOutcome = 'scored' | 'present' | 'gone';

/** Whether a run is the one in the manifest. */
export async function isUnderWay({ stores }: RankingContext, run: string): Promise<boolean> {
  return (await stores.board.read())?.rerank?.run === run;
}

/**
 * Scores one range of operators under the run's methodology and stores their Yields. Safe to repeat, and to run twice
 * concurrently: the catch-up log has the changes made meanwhile.
 */
export async function scoreRange(context: RankingContext, id: string, range: number): Promise<RangeOutcome> {
  const { stores, failpoint } = context;
  const run = await stores.rerankRuns.find(id);
  if (run === null || !(await isUnderWay(context, id))) return 'gone';
  if ((await stores.rerankParts.read(id, range)) !== null) return 'present';
  const part = await scoreRecords(context, run, range);
  await failpoint('range.scored');
  if (!(await isUnderWay(context, id))) return 'gone';
  await stores.rerankParts.write(id, range, part);
  await failpoint('range.written');
  return 'scored';
}

async function scoreRecords(context: RankingContext, run: RerankRunDocument, range: number): Promise<RerankPart> {
  const methodology = methodologyOf(context, run);
  const isPreview = run.kind === 'preview';
  const rows = noRows();
  const first = range * run.range_operators;
  const until = Math.min(first + run.range_operators, run.operators + 1);
  const yields = new Float64Array((until - first) * WINDOW_COUNT).fill(Number.NaN);
  await forEachConcurrent(steps(first, until, RECORDS_PER_READ), CONCURRENT_READS, async (from) => {
    const to = Math.min(from + RECORDS_PER_READ, until);
    let tookMs = 0;
    const read = async () => {
      const started = performance.now();
      const totals = await context.stores.operators.totalsBetween(from, to);
      tookMs = performance.now() - started;
      return totals;
    };
    const { batch, settled } = isPreview
      ? scoreBatch(await read(), methodology)
      : await scoreRows(context.stores, methodology, { $gte: from, $lt: to }, read);
    for (const [index, operator] of batch.operators.entries()) {
      const own = settled.subarray(index * WINDOW_COUNT, (index + 1) * WINDOW_COUNT);
      yields.set(own, (operator - first) * WINDOW_COUNT);
    }
    if (isPreview) countRows(batch, methodology, rows);
    await pauseForIngest(context, tookMs);
  });
  return { yields, rows: isPreview ? rows : [] };
}

/** Counts how the rows of listed operators stand. */
function countRows(batch: TotalsBatch, methodology: Methodology, rows: ReturnType<typeof noRows>): void {
  for (const index of batch.operators.keys()) {
    if (batch.listed[index] !== 1) continue;
    for (const [window, { row }] of scoreRecord(recordAt(batch, index), methodology).entries()) {
      if (row !== null) rows[window]![row]++;
    }
  }
}
