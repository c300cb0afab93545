import { setTimeout as pause } from 'node:timers/promises';
import type { RankingContext } from '../context.ts';
import { WINDOW_COUNT } from '../core/board/index.ts';
import { methodologyOf } from '../methodology-of.ts';
import type { RerankRunDocument } from '../mongo/rerank-documents.ts';
import { writeYields } from './operator-yields.ts';

/** Records read by one command: scoring them keeps the event loop for about a millisecond. */
const RECORDS_A_READ = 1_000;
/** Pause after each command, as a share of the time it took: what live folds get of a busy store. */
const PAUSE_SHARE = 0.1;
/** Pause after each command at most, in milliseconds. */
const MAX_PAUSE_MS = 250;

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
  const { stores, reach } = context;
  const run = await stores.rerankRuns.find(id);
  if (run === null || !(await isUnderWay(context, id))) return 'gone';
  if ((await stores.rerankParts.read(id, range)) !== null) return 'present';
  const yields = await scoreRecords(context, run, range);
  await reach('range.scored');
  if (!(await isUnderWay(context, id))) return 'gone';
  await stores.rerankParts.write(id, range, yields);
  await reach('range.written');
  return 'scored';
}

async function scoreRecords(context: RankingContext, run: RerankRunDocument, range: number): Promise<Float64Array> {
  const methodology = methodologyOf(context, run);
  const first = range * run.range_operators;
  const until = Math.min(first + run.range_operators, run.operators + 1);
  const yields = new Float64Array((until - first) * WINDOW_COUNT).fill(Number.NaN);
  for (let from = first; from < until; ) {
    const started = performance.now();
    const found = await context.stores.operators.totalsFrom(from, until, RECORDS_A_READ);
    for (const totals of found) writeYields(totals, methodology, yields, (totals.operator - first) * WINDOW_COUNT);
    if (found.length < RECORDS_A_READ) break;
    from = found.at(-1)!.operator + 1;
    await pause(Math.min(MAX_PAUSE_MS, (performance.now() - started) * PAUSE_SHARE));
  }
  return yields;
}
