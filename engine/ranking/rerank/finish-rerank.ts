import { setImmediate as yieldToOthers } from 'node:timers/promises';
import { createPublishedBoardSource } from '../board/published-board.ts';
import { methodologyOf, type RankingContext } from '../context.ts';
import {
  type BoardKeys,
  buildBaseRunCooperatively,
  sortWindow,
  WINDOW_COUNT,
  YieldTable,
} from '../core/board/index.ts';
import { compareWindows } from '../core/compare-windows.ts';
import { joinRows, type RowCounts } from '../core/row-counts.ts';
import { tierOf } from '../core/score.ts';
import { runCooperatively } from '../run-cooperatively.ts';
import type { BaseRunHeader } from '../storage/base-runs.ts';
import { forEachConcurrent, steps } from '../storage/for-each-concurrent.ts';
import type { PreviewedWindow, RerankRunDocument } from '../storage/reranks.ts';
import { randomId } from '../storage/unique-id.ts';
import { catchUp } from './catch-up.ts';
import { endRerank } from './end-rerank.ts';
import { switchBoard } from './switch-board.ts';

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
  const loaded = await loadTable(context, run);
  if (loaded === null) return 'incomplete';
  const { table, rows } = loaded;
  await failpoint('rerank.table_read');
  const catching = catchUp(context, table, methodologyOf(context, run), rerank.version);
  await catching.drain();
  if (run.kind === 'preview') {
    const end = { state: 'previewed', report: await previewBoard(context, run, table, rows), error: null } as const;
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
  report.switched?.({ from: run.from, to: run.methodology, rolledBack: false });
}

/** The Yields of all ranges of a run as one table, and how rows stand in a preview; null while a range is not scored. */
async function loadTable({ stores }: RankingContext, run: RerankRunDocument) {
  const yields = new Float64Array((run.operators + 1) * WINDOW_COUNT);
  const rows: (readonly RowCounts[])[] = [];
  let missing = false;
  await forEachConcurrent(steps(0, run.ranges, 1), CONCURRENT_PART_READS, async (range) => {
    if (missing) return;
    const part = await stores.rerankParts.read(run._id, range);
    if (part === null) missing = true;
    else {
      yields.set(part.yields, range * run.range_operators * WINDOW_COUNT);
      rows.push(part.rows);
    }
  });
  return missing ? null : { table: new YieldTable(yields), rows: joinRows(rows) };
}

/** Its id is in the manifest before the first write: garbage collection keeps it. Null: the run is not current. */
async function writeRerankBase(
  context: RankingContext,
  run: RerankRunDocument,
  table: YieldTable,
): Promise<BaseRunHeader | null> {
  const { stores, clock, failpoint } = context;
  const reserved = await reserveBaseId(context, run._id);
  if (reserved === null) return null;
  await failpoint('rerank.base_recorded');
  const built = await runCooperatively(buildBaseRunCooperatively(table.toArray()));
  const { id, version, hour } = reserved;
  const facts = { version, lastSegment: id, hour, methodology: run.methodology };
  await stores.parts.writeBaseRun(id, built, { ...facts, created_at: new Date(clock()) });
  await failpoint('rerank.base_written');
  await stores.parts.writePages(id, built);
  await failpoint('rerank.pages_written');
  return { id, ...facts, slots: built.slots, directories: built.directories };
}

async function reserveBaseId({ stores }: RankingContext, run: string) {
  for (;;) {
    const manifest = await stores.board.read();
    if (manifest?.rerank?.run !== run) return null;
    const id = `rerank-${manifest.version}-${randomId()}`;
    const advanced = await stores.board.advance(manifest, { rerank: { ...manifest.rerank, base: id } });
    if (advanced !== null) return { id, version: advanced.version, hour: advanced.hour };
  }
}

/** Compares each window of the current board with that of `table` under the run's methodology. */
async function previewBoard(
  context: RankingContext,
  run: RerankRunDocument,
  table: YieldTable,
  rows: readonly RowCounts[],
): Promise<PreviewedWindow[]> {
  const current = await createPublishedBoardSource(context).newest(null);
  const before = comparedWindows(await sortWindows(current.table), methodologyOf(context, current.state.manifest));
  const after = comparedWindows(await sortWindows(table), methodologyOf(context, run));
  const slots = Math.max(current.table.toArray().length, table.toArray().length) / WINDOW_COUNT;
  const comparisons: PreviewedWindow[] = [];
  for (let window = 0; window < WINDOW_COUNT; window++) {
    comparisons.push({ ...compareWindows(before(window), after(window), slots), rows: rows[window]! });
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
