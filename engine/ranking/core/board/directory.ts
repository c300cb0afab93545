import { type BoardKeys, isBefore } from './keys.ts';
import { countKeysBefore, countKeysGreater } from './search.ts';

/** One page of one window of a base: consecutive entries in board order. Never empty, and all but the last are full. */
export interface OrderPage extends BoardKeys {}

/**
 * Where the entries of one window of a base are: one element an order page, in board order. Page i begins at position
 * i × `pageEntries`.
 */
export interface WindowDirectory {
  /** Entries of a full page. */
  readonly pageEntries: number;
  /** Ranked operators of the window. */
  readonly count: number;
  readonly firstYields: Float64Array;
  readonly firstOperators: Uint32Array;
  readonly lastYields: Float64Array;
}

/** The order page that holds the first entry with a Yield of at most `y`; null if every entry is above. */
export function orderPageForYield(directory: WindowDirectory, y: number): number | null {
  const { lastYields } = directory;
  let low = 0;
  let high = lastYields.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (lastYields[middle]! > y) low = middle + 1;
    else high = middle;
  }
  return low < lastYields.length ? low : null;
}

/**
 * Entries of the window with a Yield strictly greater than `y`. `pageIndex` is what `orderPageForYield` answered for `y`
 * and `page` that page. The page may be left out where the directory alone decides: when there is none, or when its
 * first Yield is not above `y`.
 */
export function countGreater(
  directory: WindowDirectory,
  pageIndex: number | null,
  page: OrderPage | undefined,
  y: number,
): number {
  if (pageIndex === null) return directory.count;
  const before = pageIndex * directory.pageEntries;
  if (isGreaterKnown(directory, pageIndex, y)) return before;
  if (page === undefined) throw new Error(`order page ${pageIndex} is needed to count the Yields above ${y}`);
  return before + countKeysGreater(page, y);
}

/** Whether `countGreater` can do without the page `pageIndex` that `orderPageForYield` answered for `y`. */
export function isGreaterKnown(directory: WindowDirectory, pageIndex: number | null, y: number): boolean {
  return pageIndex === null || directory.firstYields[pageIndex]! <= y;
}

/** The order page that holds (y, operator), or would; null if it stands before every entry of the window. */
export function orderPageForKey(directory: WindowDirectory, y: number, operator: number): number | null {
  const { firstYields, firstOperators } = directory;
  let low = 0;
  let high = firstYields.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (isBefore(y, operator, firstYields[middle]!, firstOperators[middle]!)) high = middle;
    else low = middle + 1;
  }
  return low > 0 ? low - 1 : null;
}

/**
 * Entries of the window that stand before (y, operator) in board order. `pageIndex` is what `orderPageForKey` answered
 * for the key and `page` that page, which may be left out when there is none.
 */
export function countBefore(
  directory: WindowDirectory,
  pageIndex: number | null,
  page: OrderPage | undefined,
  y: number,
  operator: number,
): number {
  if (pageIndex === null) return 0;
  if (page === undefined) throw new Error(`order page ${pageIndex} is needed to find operator ${operator}`);
  return pageIndex * directory.pageEntries + countKeysBefore(page, y, operator);
}
