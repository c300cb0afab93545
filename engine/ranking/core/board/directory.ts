import { type BoardKeys, countKeysBefore, countKeysGreater } from './keys.ts';

/** One page of one window of a base run: consecutive entries in board order. Never empty; all but the last are full. */
export interface OrderPage extends BoardKeys {}

/** An element per order page of a window, in board order. Page i starts at position i × `pageEntries`. */
export interface WindowDirectory {
  readonly pageEntries: number;
  /** Number of ranked operators. */
  readonly count: number;
  readonly firstYields: Float64Array;
  readonly firstOperators: Uint32Array;
  readonly lastYields: Float64Array;
}

/** The index of the order page with the first entry whose Yield is at most `y`; null if all are above. */
export function orderPageForYield(directory: WindowDirectory, y: number): number | null {
  const index = countKeysGreater({ yields: directory.lastYields }, y);
  return index < directory.lastYields.length ? index : null;
}

/**
 * Number of entries of the window with a Yield strictly greater than `y`. `pageIndex` is the result of `orderPageForYield`
 * for `y`, and `page` that page; undefined is allowed when `isGreaterKnown`. Throws an Error when the page is missing.
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
  if (page === undefined) throw new Error(`order page ${pageIndex} is required to count the Yields above ${y}`);
  return before + countKeysGreater(page, y);
}

/** Whether the directory suffices for `countGreater`: there is no page, or its first Yield is not above `y`. */
export function isGreaterKnown(directory: WindowDirectory, pageIndex: number | null, y: number): boolean {
  return pageIndex === null || directory.firstYields[pageIndex]! <= y;
}

/** The index of the order page that contains (y, operator), or would; null for a key before all entries. */
export function orderPageForKey(directory: WindowDirectory, y: number, operator: number): number | null {
  const { firstYields: yields, firstOperators: operators } = directory;
  const pages = countKeysBefore({ yields, operators }, y, operator + 1);
  return pages > 0 ? pages - 1 : null;
}

/** A key with the result of `orderPageForKey` for it, and that page; undefined is allowed when `pageIndex` is null. */
export interface LocatedKey {
  readonly y: number;
  readonly operator: number;
  readonly pageIndex: number | null;
  readonly page: OrderPage | undefined;
}

/** Number of entries of the window before a key in board order. Throws an Error when the page is missing. */
export function countBefore(directory: WindowDirectory, { y, operator, pageIndex, page }: LocatedKey): number {
  if (pageIndex === null) return 0;
  if (page === undefined) throw new Error(`order page ${pageIndex} is required to find operator ${operator}`);
  return pageIndex * directory.pageEntries + countKeysBefore(page, y, operator);
}
