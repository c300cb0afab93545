import { setImmediate as yieldToOthers } from 'node:timers/promises';
import { createPublishedBoardSource } from '../board/published-board.ts';
import type { RankingContext } from '../context.ts';
import { type BoardKeys, sortWindowSteps, WINDOW_COUNT, type YieldTable } from '../core/board/index.ts';
import { type Comparison, compareWindows } from '../core/rerank/compare-boards.ts';
import { tierOf } from '../core/score.ts';
import { methodologyOf } from '../methodology-of.ts';
import { runCooperatively } from '../run-cooperatively.ts';
import type { RerankRunDocument } from '../storage/rerank-documents.ts';

/** Compares the present boards with those that `table` makes under the run's methodology, window by window. */
export async function previewBoard(
  context: RankingContext,
  run: RerankRunDocument,
  table: YieldTable,
): Promise<Comparison[]> {
  const present = await createPublishedBoardSource(context).newest(null);
  const before = sideOf(await sorted(present.table), methodologyOf(context, present.state.manifest));
  const after = sideOf(await sorted(table), methodologyOf(context, run));
  const slots = Math.max(present.table.toArray().length, table.toArray().length) / WINDOW_COUNT;
  const comparisons: Comparison[] = [];
  for (let window = 0; window < WINDOW_COUNT; window++) {
    comparisons.push(compareWindows(before(window), after(window), slots));
    await yieldToOthers();
  }
  return comparisons;
}

/** The windows of a table in board order. */
async function sorted(table: YieldTable): Promise<BoardKeys[]> {
  const windows: BoardKeys[] = [];
  for (let window = 0; window < WINDOW_COUNT; window++) {
    windows.push(await runCooperatively(sortWindowSteps(table.toArray(), window)));
  }
  return windows;
}

function sideOf(windows: readonly BoardKeys[], methodology: Parameters<typeof tierOf>[1]) {
  return (window: number) => ({
    keys: windows[window]!,
    tierOf: (yield_: number) => tierOf(yield_, methodology),
  });
}
