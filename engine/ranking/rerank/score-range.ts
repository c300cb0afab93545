import { setTimeout as pause } from 'node:timers/promises';
import { writeYields } from '../board/operator-yields.ts';
import type { RankingContext } from '../context.ts';
import { WINDOW_COUNT } from '../core/board/index.ts';
import { yieldUnder } from '../core/score.ts';
import { methodologyOf } from '../methodology-of.ts';
import { forEachConcurrent } from '../storage/for-each-concurrent.ts';
import type { RerankRunDocument } from '../storage/rerank-documents.ts';

/** Records read by one command: scoring them keeps the event loop for about two milliseconds. */
const RECORDS_A_READ = 2_000;
/** Reads under way at once: the store finds records while others are on their way and are scored. */
const READS_AT_ONCE = 2;
/** While folds are live: the pause after each command in times that it took. With two reads at once a third of the store. */
const LIVE_PAUSE_TIMES = 5;
/** Pause after each command at most, in milliseconds. */
const MAX_PAUSE_MS = 1_000;

/** `scored`, or `present`: somebody did it before. `gone`: the run is no longer under way. */
export type RangeOutcome = 'scored' | 'present' | 'gone';

/** Whether a run is the one under way. */
export async function isUnderWay({ stores }: RankingContext, run: string): Promise<boolean> {
  return (await stores.board.read())?.rerank?.run === run;
}

/**
 * Scores one range of operators under the run's methodology and stores their Yields. Safe to repeat, and to be done twice at
 * once: what changes meanwhile is on the trail.
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
  await forEachConcurrent(readsOf(first, until), READS_AT_ONCE, async (from) => {
    const started = performance.now();
    const batch = await context.stores.operators.totalsBetween(from, Math.min(from + RECORDS_A_READ, until));
    const tookMs = performance.now() - started;
    for (const [index, operator] of batch.operators.entries()) {
      writeYields(batch, index, yieldOf, yields, (operator - first) * WINDOW_COUNT);
    }
    // Where nothing is folded, nothing waits.
    if (context.liveIngest.isActive()) await pause(Math.min(MAX_PAUSE_MS, tookMs * LIVE_PAUSE_TIMES));
  });
  return yields;
}

function* readsOf(first: number, until: number): Generator<number> {
  for (let from = first; from < until; from += RECORDS_A_READ) yield from;
}
