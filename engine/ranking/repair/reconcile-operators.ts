import { createPublishedBoardSource, type PublishedBoardSource } from '../board/published-board.ts';
import { methodologyOf, type RankingContext } from '../context.ts';
import { isSameYield } from '../core/board/index.ts';
import { rowIntegrity } from '../core/row-integrity.ts';
import { scoreRecord } from '../core/score-record.ts';
import { publishedYield } from '../read/board-ranks.ts';
import { type LoadedBoard, loadBoard } from '../read/board-state.ts';
import type { TopEntryDocument } from '../storage/board-parts.ts';
import type { OperatorSummary } from '../storage/operators.ts';
import type { RowIntegrity } from '../types.ts';

/** Records per read, and operators per dirty set. */
const RECORDS_A_READ = 500;
/** Records carry their writers' clocks, which may be late by this much. */
const OVERLAP_MS = 10 * 60_000;
/** A record younger than this may not be marked dirty yet. */
const SETTLING_MS = 5_000;

/**
 * Scans the records created or amended since the last scan and marks those dirty that differ from the board: a writer may
 * crash after a rename or erasure and before its dirty set. Returns the number marked. Skips operators that are in a dirty
 * set or are written meanwhile; that writer's dirty set covers them.
 */
export async function reconcileOperators(context: RankingContext): Promise<number> {
  const { stores, clock, report, failpoint } = context;
  const board = await readBoard(context);
  if (board === null) return 0;
  const source = createPublishedBoardSource(context);
  const until = clock() - SETTLING_MS;
  const from = Number((await stores.progress.read('reconcile.operators_from')) ?? 0);
  let reconciled = 0;
  for await (const summaries of stores.operators.amendedBetween(new Date(from), new Date(until), RECORDS_A_READ)) {
    const suspects = await differingFrom(context, source, board, summaries);
    await failpoint('reconcile_operators.compared');
    const missed = suspects.length === 0 ? [] : await missedAmong(context, source, suspects);
    await stores.dirtySets.add(missed, clock());
    await failpoint('reconcile_operators.marked_dirty');
    reconciled += missed.length;
  }
  await stores.progress.write('reconcile.operators_from', String(until - OVERLAP_MS));
  if (reconciled > 0) report.reconciled?.(reconciled);
  return reconciled;
}

async function readBoard({ stores }: RankingContext): Promise<LoadedBoard | null> {
  const manifest = await stores.board.read();
  return manifest === null ? null : loadBoard(stores.parts, manifest, null);
}

/**
 * The suspects in no dirty set. Dirty sets are removed once a board with their changes is published, so read them after the
 * records and before the board; the writer of a record that changes meanwhile adds its own set.
 */
async function missedAmong(
  context: RankingContext,
  source: PublishedBoardSource,
  suspects: readonly number[],
): Promise<readonly number[]> {
  const { stores } = context;
  const before = await stores.operators.recordRevisions(suspects);
  const summaries = await stores.operators.summaries(suspects);
  const dirty = await stores.dirtySets.dirtyAmong(suspects);
  const board = await readBoard(context);
  if (board === null) return [];
  const after = await stores.operators.recordRevisions(suspects);
  const undisturbed = summaries.filter(
    ({ operator }) => !dirty.has(operator) && before.get(operator)?.revision === after.get(operator)?.revision,
  );
  return differingFrom(context, source, board, undisturbed);
}

async function differingFrom(
  context: RankingContext,
  source: PublishedBoardSource,
  { state, topEntries }: LoadedBoard,
  summaries: readonly OperatorSummary[],
): Promise<number[]> {
  const methodology = methodologyOf(context, state.manifest);
  const differing: number[] = [];
  const numbers = summaries.map(({ operator }) => operator);
  const rows = await context.stores.heldRows.of(methodology.id, { $in: numbers });
  const stored = new Map(rows.map(({ operator, yields }) => [operator, yields]));
  for (const summary of summaries) {
    const results = scoreRecord(summary, methodology);
    const published = await Promise.all(
      results.map((_, window) => publishedYield(source.pages, state, summary.operator, window)),
    );
    const changed = results.some(({ score, row }, window) => {
      const yield_ = summary.listed && row === 'settled' ? score!.yield_ : Number.NaN;
      return !isSameYield(yield_, published[window]!);
    });
    const integrity = rowIntegrity(summary, results, methodology);
    const held = stored.get(summary.operator);
    const isHeldAsStored = results.every(({ score, row }, window) => {
      const yield_ = summary.listed && row === 'held' ? score!.yield_ : null;
      return yield_ === (held?.[window] ?? null);
    });
    if (changed || !isHeldAsStored || differsFromEntries(summary, integrity, topEntries))
      differing.push(summary.operator);
  }
  return differing;
}

/** Whether a top entry of the operator has other names or flags than its record. */
function differsFromEntries(
  { operator, codename, displayName }: OperatorSummary,
  integrity: readonly RowIntegrity[],
  topEntries: readonly TopEntryDocument[][],
): boolean {
  return topEntries.some((entries, window) => {
    const entry = entries.find((each) => each.operator === operator);
    if (entry === undefined) return false;
    const flags = String(integrity[window]!.integrity.flags);
    return entry.codename !== codename || entry.display_name !== displayName || String(entry.integrity.flags) !== flags;
  });
}
