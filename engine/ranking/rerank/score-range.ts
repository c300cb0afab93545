import { statisticsOf, WINDOW_NUMBERS } from '../../integrity/index.ts';
import { writeYields } from '../board/score-operators.ts';
import { methodologyOf, type RankingContext } from '../context.ts';
import { WINDOW_COUNT } from '../core/board/index.ts';
import { CrossedRulesCount } from '../core/crossed-rules.ts';
import { maskReader, yieldsWriter } from '../core/score-record.ts';
import { pauseForIngest } from '../ingest/live-ingest.ts';
import type { Methodology } from '../methodologies/methodology.ts';
import { forEachConcurrent, steps } from '../storage/for-each-concurrent.ts';
import type { RerankPart, RerankRunDocument } from '../storage/reranks.ts';
import { TOTALS_NUMBERS, type TotalsBatch } from '../storage/totals-batch.ts';

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
  const write = yieldsWriter(methodology);
  const isPreview = run.kind === 'preview';
  const crossed = new CrossedRulesCount();
  const first = range * run.range_operators;
  const until = Math.min(first + run.range_operators, run.operators + 1);
  const yields = new Float64Array((until - first) * WINDOW_COUNT).fill(Number.NaN);
  /** Scratch memory of completed reads, used again: V8 counts the bytes of new arrays towards its next major collection. */
  const free: Float64Array[] = [];
  await forEachConcurrent(steps(first, until, RECORDS_PER_READ), CONCURRENT_READS, async (from) => {
    const scratch = free.pop() ?? new Float64Array(RECORDS_PER_READ * TOTALS_NUMBERS);
    const started = performance.now();
    const to = Math.min(from + RECORDS_PER_READ, until);
    const batch = await context.stores.operators.totalsBetween(from, to, methodology, scratch);
    const tookMs = performance.now() - started;
    const statistics = statisticsOf(batch.totals);
    for (const [index, operator] of batch.operators.entries()) {
      writeYields(batch, statistics, index, write, yields, (operator - first) * WINDOW_COUNT);
    }
    if (isPreview) countCrossed(batch, methodology, yields, first, crossed);
    free.push(scratch);
    await pauseForIngest(context, tookMs);
  });
  return { yields, crossed: isPreview ? crossed.windows() : [] };
}

/** Counts the rules that listed operators cross; their Yields are in `yields` from operator `first` on. */
function countCrossed(
  { operators, listed, totals, findings, cleared }: TotalsBatch,
  methodology: Methodology,
  yields: Float64Array,
  first: number,
  crossed: CrossedRulesCount,
): void {
  const maskOf = maskReader(methodology);
  const statistics = statisticsOf(totals);
  for (const [index, operator] of operators.entries()) {
    if (listed[index] !== 1) continue;
    for (let window = 0; window < WINDOW_COUNT; window++) {
      const from = index * TOTALS_NUMBERS + window * WINDOW_NUMBERS;
      const mask = maskOf(totals, statistics, from, findings[index]!, cleared[index]!);
      crossed.add(window, operator, mask, yields[(operator - first) * WINDOW_COUNT + window]!);
    }
  }
}
