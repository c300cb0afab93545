import { OPERATOR_PAGE_SLOTS, type OperatorPage, WINDOW_COUNT, YieldTable } from '../core/board/index.ts';
import type { BoardParts } from '../mongo/board-parts.ts';
import type { BoardState } from '../read/board-state.ts';
import { PartGone } from '../read/page-cache.ts';

/** Operator pages read at once. */
const PAGES_AT_ONCE = 8;

/** The Yields of every operator on a board version, read in bulk. Throws PartGone when the version was swept. */
export async function readTable(parts: BoardParts, { base, overlay }: BoardState): Promise<YieldTable> {
  const yields = new Float64Array(base.slots * WINDOW_COUNT);
  const pages = Math.ceil(base.slots / OPERATOR_PAGE_SLOTS);
  for (let first = 0; first < pages; first += PAGES_AT_ONCE) {
    const numbers = Array.from({ length: Math.min(PAGES_AT_ONCE, pages - first) }, (_, index) => first + index);
    const read = await Promise.all(numbers.map((page) => parts.operatorPage(base.id, page)));
    read.forEach((page, index) => copyPage(yields, page, first + index, base.id));
  }
  const table = new YieldTable(yields);
  table.apply(overlay.changes);
  return table;
}

function copyPage(yields: Float64Array, page: OperatorPage | null, number: number, base: string): void {
  if (page === null) throw new PartGone(`operator page ${number} of ${base}`);
  const at = number * OPERATOR_PAGE_SLOTS * WINDOW_COUNT;
  yields.set(page.yields.subarray(0, yields.length - at), at);
}
