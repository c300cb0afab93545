import type { PublishedBoardSource } from '../board/published-board.ts';
import type { RankingContext } from '../context.ts';
import { isSameYield } from '../core/board/index.ts';
import { methodologyOf } from '../methodology-of.ts';
import { publishedYield } from '../read/board-ranks.ts';
import { type BoardState, stateOf } from '../read/board-state.ts';
import { windowScores } from '../read/window-scores.ts';
import type { TopEntryDocument } from '../storage/documents.ts';
import type { OperatorSummary } from '../storage/operator-store.ts';

/** Records read, and listed if need be, at once. */
const RECORDS_A_READ = 500;
/** Writers stamp records with their own clocks, which may be late by this much. */
const OVERLAP_MS = 10 * 60_000;
/** A record younger than this may still be on its way to its list. */
const SETTLING_MS = 5_000;

/**
 * Walks the records created or amended since the last walk and lists again those whose numbers or names differ from the
 * board: a rename or erasure may die before its list is written. Returns how many it listed. An operator whose change
 * another list announces, or that is written meanwhile, is left to that list.
 */
export async function reconcileOperators(context: RankingContext, source: PublishedBoardSource): Promise<number> {
  const { stores, clock, report, failpoint } = context;
  const board = await readBoard(context);
  if (board === null) return 0;
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
  if (reconciled > 0) report.reconciled(reconciled);
  return reconciled;
}

interface ReadBoard {
  readonly state: BoardState;
  readonly topEntries: readonly TopEntryDocument[][];
}

async function readBoard({ stores }: RankingContext): Promise<ReadBoard | null> {
  const manifest = await stores.board.read();
  const state = manifest === null ? null : await stateOf(stores.parts, manifest, null);
  const topEntries = manifest === null ? null : await stores.parts.topEntries(manifest.topEntries);
  return state === null || topEntries === null ? null : { state, topEntries };
}

/**
 * Those of the suspects that no list announces. Lists are forgotten once a board with their changes is published, so they
 * are read after the records and before the board; a record written meanwhile has a list of its writer.
 */
async function missedAmong(
  context: RankingContext,
  source: PublishedBoardSource,
  suspects: readonly number[],
): Promise<readonly number[]> {
  const { stores } = context;
  const before = await stores.operators.revisions(suspects);
  const summaries = await stores.operators.summaries(suspects);
  const announced = await stores.dirtySets.dirtyAmong(suspects);
  const board = await readBoard(context);
  if (board === null) return [];
  const after = await stores.operators.revisions(suspects);
  const settled = summaries.filter(
    ({ operator }) => !announced.has(operator) && before.get(operator) === after.get(operator),
  );
  return differingFrom(context, source, board, settled);
}

async function differingFrom(
  context: RankingContext,
  source: PublishedBoardSource,
  { state, topEntries }: ReadBoard,
  summaries: readonly OperatorSummary[],
): Promise<number[]> {
  const methodology = methodologyOf(context, state.manifest);
  const differing: number[] = [];
  for (const summary of summaries) {
    const scores = summary.listed ? windowScores(summary.totals, methodology) : topEntries.map(() => null);
    const published = await Promise.all(
      scores.map((_, window) => publishedYield(source.pages, state, summary.operator, window)),
    );
    const moved = scores.some((score, window) => !isSameYield(score?.yield_ ?? Number.NaN, published[window]!));
    if (moved || isRenamed(summary, topEntries)) differing.push(summary.operator);
  }
  return differing;
}

function isRenamed(
  { operator, codename, displayName }: OperatorSummary,
  topEntries: readonly TopEntryDocument[][],
): boolean {
  return topEntries.some((entries) =>
    entries.some(
      (entry) => entry.operator === operator && (entry.codename !== codename || entry.display_name !== displayName),
    ),
  );
}
