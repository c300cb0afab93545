import { WINDOWS } from '../../contract/windows.ts';
import { publishedYield } from './board-ranks.ts';
import type { SliceParts } from './board-slice.ts';
import type { BoardState } from './board-state.ts';

/** Records whose names are read at once. */
const READ_AT_ONCE = 1_000;

const ALL_TIME = WINDOWS.indexOf('all_time');

/**
 * The codenames of operators numbered from `from` to below `until` that are ranked of all time on this board, by number.
 * Numbers are given once, so ranges of them neither miss nor repeat anybody, whatever the board does between two ranges.
 */
export async function rankedNames(
  { context, pages }: SliceParts,
  state: BoardState,
  from: number,
  until: number,
): Promise<readonly string[]> {
  const found: string[] = [];
  for (let next = from; next < until; ) {
    const names = await context.stores.operators.namesFrom(next, until, READ_AT_ONCE);
    for (const { operator, codename, listed } of names) {
      if (listed && !Number.isNaN(await publishedYield(pages, state, operator, ALL_TIME))) found.push(codename);
    }
    next = names.length < READ_AT_ONCE ? until : names.at(-1)!.operator + 1;
  }
  return found;
}
