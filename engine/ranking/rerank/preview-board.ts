import { setImmediate as yieldToOthers } from 'node:timers/promises';
import { createPublishedBoardSource } from '../board/published-board.ts';
import type { RankingContext } from '../context.ts';
import { type BoardKeys, sortWindow, WINDOW_COUNT, type YieldTable } from '../core/board/index.ts';
import { type Comparison, compareWindows } from '../core/compare-windows.ts';
import { tierOf } from '../core/score.ts';
import { methodologyOf } from '../methodology-of.ts';
import { runCooperatively } from '../run-cooperatively.ts';
import type { RerankRunDocument } from '../storage/reranks.ts';

/** Compares each window of the current board with that of `table` under the run's methodology. */
export async function previewBoard(
  context: RankingContext,
  run: RerankRunDocument,
  table: YieldTable,
): Promise<Comparison[]> {
  const current = await createPublishedBoardSource(context).newest(null);
  const before = comparedWindows(await sortWindows(current.table), methodologyOf(context, current.state.manifest));
  const after = comparedWindows(await sortWindows(table), methodologyOf(context, run));
  const slots = Math.max(current.table.toArray().length, table.toArray().length) / WINDOW_COUNT;
  const comparisons: Comparison[] = [];
  for (let window = 0; window < WINDOW_COUNT; window++) {
    comparisons.push(compareWindows(before(window), after(window), slots));
    await yieldToOthers();
  }
  return comparisons;
}

/** All windows of a table, sorted. */
async function sortWindows(table: YieldTable): Promise<BoardKeys[]> {
  const windows: BoardKeys[] = [];
  for (let window = 0; window < WINDOW_COUNT; window++) {
    windows.push(await runCooperatively(sortWindow(table.toArray(), window)));
  }
  return windows;
}

function comparedWindows(windows: readonly BoardKeys[], methodology: Parameters<typeof tierOf>[1]) {
  return (window: number) => ({
    keys: windows[window]!,
    tierOf: (yield_: number) => tierOf(yield_, methodology),
  });
}
