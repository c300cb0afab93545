import { OPERATOR_PAGE_SLOTS, type OperatorPage, WINDOW_COUNT, YieldTable } from '../core/board/index.ts';
import type { BoardState } from '../read/board-state.ts';
import { MissingPartError } from '../read/page-cache.ts';
import type { BoardParts } from '../storage/board-parts.ts';

/** Operator pages per query: less than 1 MiB. */
const PAGES_PER_READ = 64;

/** Reads the Yields of every operator on a board version. Throws MissingPartError when a part was garbage-collected. */
export async function readTable(parts: BoardParts, { base, delta }: BoardState): Promise<YieldTable> {
  const yields = new Float64Array(base.slots * WINDOW_COUNT);
  const pages = Math.ceil(base.slots / OPERATOR_PAGE_SLOTS);
  for (let first = 0; first < pages; first += PAGES_PER_READ) {
    const count = Math.min(PAGES_PER_READ, pages - first);
    const read = await parts.operatorPages(base.id, first, count);
    if (read.length < count) throw new MissingPartError(`operator pages of ${base.id}`);
    read.forEach((page, index) => copyPage(yields, page, first + index));
  }
  const table = new YieldTable(yields);
  for (const { changes } of delta.levels) table.apply(changes);
  return table;
}

function copyPage(yields: Float64Array, page: OperatorPage, number: number): void {
  const at = number * OPERATOR_PAGE_SLOTS * WINDOW_COUNT;
  yields.set(page.yields.subarray(0, yields.length - at), at);
}
