import { WINDOWS, type Window } from '../../contract/windows.ts';
import type { RankingContext } from '../context.ts';
import { percentileOf, tierOf } from '../core/score.ts';
import { methodologyOf } from '../methodology-of.ts';
import type { BoardEntry } from '../types.ts';
import { readSlice } from './board-ranks.ts';
import { type BoardState, rankedIn } from './board-state.ts';
import type { Movements } from './movement.ts';
import type { PageCache } from './page-cache.ts';
import { windowScores } from './window-scores.ts';

export interface SliceParts {
  readonly context: RankingContext;
  readonly pages: PageCache;
  readonly movements: Movements;
}

/** Entries in board order; names, ratios and platform come from the operators' current records. */
export async function sliceOf(
  { context, pages, movements }: SliceParts,
  state: BoardState,
  name: Window,
  offset: number,
  limit: number,
): Promise<BoardEntry[]> {
  const window = WINDOWS.indexOf(name);
  const methodology = methodologyOf(context, state.manifest);
  const ranked = await readSlice(pages, state, window, offset, limit);
  const summaries = await context.stores.operators.summaries(ranked.map(({ operator }) => operator));
  const byNumber = new Map(summaries.map((summary) => [summary.operator, summary]));
  const entries: BoardEntry[] = [];
  for (const { operator, yield_, rank } of ranked) {
    const summary = byNumber.get(operator);
    const score = summary === undefined ? null : windowScores(summary.totals, methodology)[window]!;
    if (summary === undefined || score === null) continue;
    const ranks = WINDOWS.map((_, index) => (index === window ? rank : null));
    const movement = (await movements.of(state.manifest, operator, ranks))[window]!;
    entries.push({
      codename: summary.codename,
      display_name: summary.displayName,
      rank,
      percentile: percentileOf(rank, rankedIn(state, window)),
      platform: summary.platforms[window] ?? '',
      class_tier: tierOf(yield_, methodology),
      ...score,
      yield_,
      ...movement,
    });
  }
  return entries;
}
