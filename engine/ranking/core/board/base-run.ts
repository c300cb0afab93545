import { type Cooperative, runToCompletion } from './cooperative.ts';
import type { OrderPage, WindowDirectory } from './directory.ts';
import { type BoardKeys, WINDOW_COUNT } from './keys.ts';
import { sortWindow } from './sort-keys.ts';

/** Entries of a full order page: 48 KiB when stored. */
export const ORDER_PAGE_ENTRIES = 4096;

/** Operators of an operator page: 12 KiB when stored. An uncached profile reads one; at 48 KiB the transfer doubled its cost. */
export const OPERATOR_PAGE_SLOTS = 256;

/**
 * The entries of consecutive operators in all windows of a base run: `WINDOW_COUNT` Yields (NaN = unranked) and competition
 * ranks (0 = unranked) per slot. Always full: slots past the last operator are unranked.
 */
export interface OperatorPage {
  readonly yields: Float64Array;
  readonly ranks: Uint32Array;
}

export interface PageSizes {
  readonly orderPageEntries: number;
  readonly operatorPageSlots: number;
}

/** A base run ready to be stored. It shares no memory with the table that it was built from. */
export interface BuiltBaseRun {
  /** Slots of the table: one more than the highest sequence number in the base run; 0 without operator pages. */
  readonly slots: number;
  /** One per window. */
  readonly directories: readonly WindowDirectory[];
  /** The order pages of a window, in board order. They share memory with the base run: do not modify. */
  orderPages(window: number): Iterable<OrderPage>;
  /** The operator pages from slot 0 on. */
  operatorPages(): Iterable<OperatorPage>;
}

const STORED_PAGE_SIZES: PageSizes = { orderPageEntries: ORDER_PAGE_ENTRIES, operatorPageSlots: OPERATOR_PAGE_SLOTS };

/**
 * Sorts a table of Yields (`WINDOW_COUNT` per slot, NaN = unranked) into a base run. It keeps the sorted entries (12 bytes
 * each) and the ranks (16 bytes per slot) in memory; pages are generated on iteration.
 */
export function buildBaseRun(table: Float64Array, sizes: PageSizes = STORED_PAGE_SIZES): BuiltBaseRun {
  return runToCompletion(buildBaseRunCooperatively(table, sizes));
}

/** Cooperative `buildBaseRun`: steps of some milliseconds for a million operators. */
export function* buildBaseRunCooperatively(
  table: Float64Array,
  sizes: PageSizes = STORED_PAGE_SIZES,
): Cooperative<BuiltBaseRun> {
  const slots = table.length / WINDOW_COUNT;
  const ranks = new Uint32Array(slots * WINDOW_COUNT);
  const sorted: BoardKeys[] = [];
  for (let window = 0; window < WINDOW_COUNT; window++) {
    const keys = yield* sortWindow(table, window);
    yield;
    writeRanks(keys, window, ranks);
    sorted.push(keys);
    yield;
  }
  return {
    slots,
    directories: sorted.map((keys) => directoryOf(keys, sizes.orderPageEntries)),
    orderPages: (window) => pagesInOrder(sorted[window]!, sizes.orderPageEntries),
    operatorPages: () => pagesByOperator(sorted, ranks, sizes.operatorPageSlots),
  };
}

/** A base run of order pages alone, from the ranked operators of each window in board order. */
export function orderRunOf(sorted: readonly BoardKeys[]): BuiltBaseRun {
  return {
    slots: 0,
    directories: sorted.map((keys) => directoryOf(keys, ORDER_PAGE_ENTRIES)),
    orderPages: (window) => pagesInOrder(sorted[window]!, ORDER_PAGE_ENTRIES),
    operatorPages: () => [],
  };
}

/** The index of an operator's operator page. */
export function operatorPageOf(operator: number, pageSlots = OPERATOR_PAGE_SLOTS): number {
  return Math.floor(operator / pageSlots);
}

/** The slot of an operator within its page. */
export function operatorSlotOf(operator: number, pageSlots = OPERATOR_PAGE_SLOTS): number {
  return operator % pageSlots;
}

function directoryOf(keys: BoardKeys, pageEntries: number): WindowDirectory {
  const count = keys.yields.length;
  const pages = Math.ceil(count / pageEntries);
  const firstYields = new Float64Array(pages);
  const firstOperators = new Uint32Array(pages);
  const lastYields = new Float64Array(pages);
  for (let page = 0; page < pages; page++) {
    firstYields[page] = keys.yields[page * pageEntries]!;
    firstOperators[page] = keys.operators[page * pageEntries]!;
    lastYields[page] = keys.yields[Math.min((page + 1) * pageEntries, count) - 1]!;
  }
  return { pageEntries, count, firstYields, firstOperators, lastYields };
}

function* pagesInOrder(keys: BoardKeys, pageEntries: number): Iterable<OrderPage> {
  for (let start = 0; start < keys.yields.length; start += pageEntries) {
    yield {
      yields: keys.yields.subarray(start, start + pageEntries),
      operators: keys.operators.subarray(start, start + pageEntries),
    };
  }
}

/** Recovers each Yield from its rank, that of the entry at position rank − 1, so that the table does not stay in memory. */
function* pagesByOperator(
  sorted: readonly BoardKeys[],
  allRanks: Uint32Array,
  pageSlots: number,
): Iterable<OperatorPage> {
  for (let start = 0; start < allRanks.length; start += pageSlots * WINDOW_COUNT) {
    const ranks = new Uint32Array(pageSlots * WINDOW_COUNT);
    ranks.set(allRanks.subarray(start, start + ranks.length));
    const yields = new Float64Array(ranks.length).fill(Number.NaN);
    for (const [window, keys] of sorted.entries()) {
      const ordered = keys.yields;
      for (let at = window; at < ranks.length; at += WINDOW_COUNT) {
        const rank = ranks[at]!;
        if (rank > 0) yields[at] = ordered[rank - 1]!;
      }
    }
    yield { yields, ranks };
  }
}

/** Writes a window's competition ranks by operator: 1 + the number of entries with a strictly greater Yield. */
function writeRanks({ yields, operators }: BoardKeys, window: number, ranks: Uint32Array): void {
  let rank = 0;
  for (let at = 0; at < yields.length; at++) {
    if (at === 0 || yields[at]! < yields[at - 1]!) rank = at + 1;
    ranks[operators[at]! * WINDOW_COUNT + window] = rank;
  }
}
