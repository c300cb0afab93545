import { setTimeout as pause } from 'node:timers/promises';
import { writeYields } from '../board/score-operators.ts';
import { methodologyOf, type RankingContext } from '../context.ts';
import { WINDOW_COUNT } from '../core/board/index.ts';
import { yieldUnder } from '../core/score.ts';
import { forEachConcurrent, steps } from '../storage/for-each-concurrent.ts';
import type { RerankRunDocument } from '../storage/reranks.ts';

/** Records per query: scoring them blocks the event loop for about 2 ms. */
const RECORDS_PER_READ = 2_000;
/** Two, so that the store reads while the previous records are transferred and scored. */
const CONCURRENT_READS = 2;
/** During live ingest each read is followed by a pause of this many times its duration: two reads take a third of the store. */
const LIVE_PAUSE_FACTOR = 5;
const MAX_PAUSE_MS = 1_000;

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
  const yields = await scoreRecords(context, run, range);
  await failpoint('range.scored');
  if (!(await isUnderWay(context, id))) return 'gone';
  await stores.rerankParts.write(id, range, yields);
  await failpoint('range.written');
  return 'scored';
}

async function scoreRecords(context: RankingContext, run: RerankRunDocument, range: number): Promise<Float64Array> {
  const yieldOf = yieldUnder(methodologyOf(context, run));
  const first = range * run.range_operators;
  const until = Math.min(first + run.range_operators, run.operators + 1);
  const yields = new Float64Array((until - first) * WINDOW_COUNT).fill(Number.NaN);
  await forEachConcurrent(steps(first, until, RECORDS_PER_READ), CONCURRENT_READS, async (from) => {
    const started = performance.now();
    const batch = await context.stores.operators.totalsBetween(from, Math.min(from + RECORDS_PER_READ, until));
    const tookMs = performance.now() - started;
    for (const [index, operator] of batch.operators.entries()) {
      writeYields(batch, index, yieldOf, yields, (operator - first) * WINDOW_COUNT);
    }
    if (context.liveIngest.isActive()) await pause(Math.min(MAX_PAUSE_MS, tookMs * LIVE_PAUSE_FACTOR));
  });
  return yields;
}
