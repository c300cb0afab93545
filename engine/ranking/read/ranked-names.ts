import { WINDOWS } from '../../contract/windows.ts';
import { publishedYield } from './board-ranks.ts';
import type { SliceParts } from './board-slice.ts';
import type { BoardState } from './board-state.ts';

const RECORDS_PER_READ = 1_000;

const ALL_TIME = WINDOWS.indexOf('all_time');

/**
 * The codenames of the operators with numbers in [`from`, `until`) that are ranked in `all_time` on this board, by number.
 * Numbers are never reused, so consecutive ranges neither miss nor repeat an operator across board versions.
 */
export async function rankedNames(
  { context, pages }: SliceParts,
  state: BoardState,
  from: number,
  until: number,
): Promise<readonly string[]> {
  const found: string[] = [];
  for (let next = from; next < until; ) {
    const names = await context.stores.operators.namesFrom(next, until, RECORDS_PER_READ);
    for (const { operator, codename, listed } of names) {
      if (listed && !Number.isNaN(await publishedYield(pages, state, operator, ALL_TIME))) found.push(codename);
    }
    next = names.length < RECORDS_PER_READ ? until : names.at(-1)!.operator + 1;
  }
  return found;
}
