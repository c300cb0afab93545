import { OPERATOR_PAGE_SLOTS, type OperatorPage, WINDOW_COUNT, YieldTable } from '../core/board/index.ts';
import type { BoardParts } from '../mongo/board-parts.ts';
import type { BoardState } from '../read/board-state.ts';
import { PartGone } from '../read/page-cache.ts';

/** Operator pages read by one command: less than 1 MiB. */
const PAGES_A_READ = 64;

/** The Yields of every operator on a board version, read in bulk. Throws PartGone when the version was swept. */
export async function readTable(parts: BoardParts, { base, overlay }: BoardState): Promise<YieldTable> {
  const yields = new Float64Array(base.slots * WINDOW_COUNT);
  const pages = Math.ceil(base.slots / OPERATOR_PAGE_SLOTS);
  for (let first = 0; first < pages; first += PAGES_A_READ) {
    const wanted = Math.min(PAGES_A_READ, pages - first);
    const read = await parts.operatorPages(base.id, first, wanted);
    if (read.length < wanted) throw new PartGone(`operator pages of ${base.id}`);
    read.forEach((page, index) => copyPage(yields, page, first + index));
  }
  const table = new YieldTable(yields);
  for (const { changes } of overlay.layers) table.apply(changes);
  return table;
}

function copyPage(yields: Float64Array, page: OperatorPage, number: number): void {
  const at = number * OPERATOR_PAGE_SLOTS * WINDOW_COUNT;
  yields.set(page.yields.subarray(0, yields.length - at), at);
}
