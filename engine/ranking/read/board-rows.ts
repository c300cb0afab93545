import { WINDOWS, type Window } from '../../contract/windows.ts';
import type { BoardLine, BoardRow } from '../board-view.ts';
import { percentileOf, scoreOf, tierOf } from '../core/score.ts';
import { methodologyOf } from '../methodology-of.ts';
import { readSlice } from './board-ranks.ts';
import type { SliceParts } from './board-slice.ts';
import { type BoardState, rankedIn } from './board-state.ts';
import { countsOf } from './window-scores.ts';

/**
 * Entries in board order without movements, with one read for all records. Omits operators that are erased, suspended or no
 * longer rankable, although the board contains them until the next commit.
 */
export async function readRows(
  { context, pages }: Pick<SliceParts, 'context' | 'pages'>,
  state: BoardState,
  name: Window,
  offset: number,
  limit: number,
): Promise<BoardRow[]> {
  const window = WINDOWS.indexOf(name);
  const methodology = methodologyOf(context, state.manifest);
  const total = rankedIn(state, window);
  const ranked = await readSlice(pages, state, window, offset, limit);
  const summaries = await context.stores.operators.summaries(ranked.map(({ operator }) => operator));
  const byNumber = new Map(summaries.map((summary) => [summary.operator, summary]));
  return ranked.flatMap(({ operator, yield_, rank }) => {
    const summary = byNumber.get(operator);
    const score = summary === undefined ? null : scoreOf(countsOf(summary.totals, window), methodology);
    if (summary?.listed !== true || score === null) return [];
    const { leverage, velocity } = score;
    const { codename, displayName: display_name } = summary;
    const platform = summary.platforms[window] ?? '';
    const percentile = percentileOf(rank, total);
    const class_tier = tierOf(yield_, methodology);
    return [{ codename, display_name, rank, percentile, platform, class_tier, yield_, leverage, velocity }];
  });
}

export function lineOf({ codename, rank, platform, class_tier, yield_, leverage, velocity }: BoardRow): BoardLine {
  return { codename, rank, platform, class_tier, yield_, leverage, velocity };
}
