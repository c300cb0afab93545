import { countGreater, isGreaterKnown, type OrderPage, orderPageForYield, type WindowDirectory } from './directory.ts';
import { isBefore } from './keys.ts';
import type { WindowOverlay } from './overlay.ts';
import { positionIn, rankedCount, rankIn } from './overlay-rank.ts';
import { countKeysBefore } from './search.ts';

/** An entry of a window with its competition rank. */
export interface RankedEntry {
  readonly operator: number;
  readonly yield_: number;
  readonly rank: number;
}

/**
 * Reads consecutive entries of a window, telling which pages it wants: while `needs()` answers the index of an order page,
 * `feed` it that page of the window; then take `result()`.
 */
export interface SliceCursor {
  needs(): number | null;
  feed(page: OrderPage): void;
  /** In board order. An Error while a page is wanted. */
  result(): readonly RankedEntry[];
}

/**
 * Reads the entries at positions [offset, offset + limit) of base and overlay merged; fewer where the board ends. Wants
 * only pages on which such entries are, and at most one more, when a group of equal Yields begins before the slice.
 */
export function createSliceCursor(
  directory: WindowDirectory,
  overlay: WindowOverlay,
  offset: number,
  limit: number,
): SliceCursor {
  return new MergingCursor(directory, overlay, offset, limit);
}

class MergingCursor implements SliceCursor {
  readonly #directory: WindowDirectory;
  readonly #overlay: WindowOverlay;
  readonly #offset: number;
  /** Position after the last entry wanted. */
  readonly #end: number;
  readonly #entries: RankedEntry[] = [];
  /** Position, in base and overlay merged, of the next entry. */
  #position: number;
  #atRemoved: number;
  #atAdded: number;
  /** The base page being walked, undefined until it is fed, and the next entry of it. */
  #pageIndex: number;
  #page: OrderPage | undefined;
  #atEntry = 0;
  /** The first entry of the slice, while the page that tells its rank is wanted. */
  #unranked: { readonly y: number; readonly operator: number; readonly pageIndex: number } | null = null;

  constructor(directory: WindowDirectory, overlay: WindowOverlay, offset: number, limit: number) {
    this.#directory = directory;
    this.#overlay = overlay;
    this.#offset = offset;
    this.#end = Math.min(offset + limit, rankedCount(directory.count, overlay));
    this.#pageIndex = startPage(directory, overlay, offset);
    const start = pageStart(directory, overlay, this.#pageIndex);
    this.#position = start.position;
    this.#atRemoved = start.removedBefore;
    this.#atAdded = start.addedBefore;
    if (offset < this.#end) this.#walk();
    else this.#position = this.#end;
  }

  needs(): number | null {
    if (this.#unranked !== null) return this.#unranked.pageIndex;
    return this.#position < this.#end ? this.#pageIndex : null;
  }

  feed(page: OrderPage): void {
    if (this.#unranked === null) {
      this.#page = page;
      this.#atEntry = 0;
    } else {
      const { y, operator, pageIndex } = this.#unranked;
      this.#unranked = null;
      this.#push(y, operator, rankIn(countGreater(this.#directory, pageIndex, page, y), this.#overlay, y));
    }
    this.#walk();
  }

  result(): readonly RankedEntry[] {
    const wanted = this.needs();
    if (wanted !== null) throw new Error(`order page ${wanted} is wanted before the slice is whole`);
    return this.#entries;
  }

  /** Goes on in merged order until the slice is whole or a page is wanted. */
  #walk(): void {
    const { added } = this.#overlay;
    while (this.#position < this.#end && this.#unranked === null) {
      this.#skipRemoved();
      const addedYield = added.yields[this.#atAdded];
      const addedOperator = added.operators[this.#atAdded];
      if (addedYield !== undefined && addedOperator !== undefined && this.#isBeforeBase(addedYield, addedOperator)) {
        this.#atAdded++;
        this.#visit(addedYield, addedOperator);
        continue;
      }
      const page = this.#page;
      if (page === undefined) return;
      const at = this.#atEntry++;
      this.#visit(page.yields[at]!, page.operators[at]!);
    }
  }

  /** Passes over base entries that no longer hold, and over the end of a page. */
  #skipRemoved(): void {
    const { removed } = this.#overlay;
    const page = this.#page;
    if (page === undefined) return;
    while (
      this.#atEntry < page.operators.length &&
      removed.operators[this.#atRemoved] === page.operators[this.#atEntry]
    ) {
      this.#atEntry++;
      this.#atRemoved++;
    }
    if (this.#atEntry < page.operators.length) return;
    this.#page = undefined;
    this.#pageIndex++;
  }

  /** Whether an added entry stands before the next base entry. The directory knows the first entry of a page not yet fed. */
  #isBeforeBase(y: number, operator: number): boolean {
    const { firstYields, firstOperators } = this.#directory;
    const page = this.#page;
    if (page !== undefined) {
      return isBefore(y, operator, page.yields[this.#atEntry]!, page.operators[this.#atEntry]!);
    }
    if (this.#pageIndex >= firstYields.length) return true;
    return isBefore(y, operator, firstYields[this.#pageIndex]!, firstOperators[this.#pageIndex]!);
  }

  #visit(y: number, operator: number): void {
    if (this.#position < this.#offset) {
      this.#position++;
      return;
    }
    const last = this.#entries.at(-1);
    if (last !== undefined) this.#push(y, operator, last.yield_ === y ? last.rank : this.#position + 1);
    else this.#pushFirst(y, operator);
  }

  /** Equals of the first entry may stand anywhere before the slice: its rank is counted, not walked. */
  #pushFirst(y: number, operator: number): void {
    const pageIndex = orderPageForYield(this.#directory, y);
    const page = pageIndex === this.#pageIndex ? this.#page : undefined;
    if (pageIndex !== null && page === undefined && !isGreaterKnown(this.#directory, pageIndex, y)) {
      this.#unranked = { y, operator, pageIndex };
      return;
    }
    this.#push(y, operator, rankIn(countGreater(this.#directory, pageIndex, page, y), this.#overlay, y));
  }

  #push(y: number, operator: number, rank: number): void {
    this.#entries.push({ operator, yield_: y, rank });
    this.#position++;
  }
}

/** The last page that does not begin after `offset` in base and overlay merged; the first if all do. */
function startPage(directory: WindowDirectory, overlay: WindowOverlay, offset: number): number {
  let low = 1;
  let high = directory.firstYields.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (positionOfPage(directory, overlay, middle) <= offset) low = middle + 1;
    else high = middle;
  }
  return low - 1;
}

function positionOfPage(directory: WindowDirectory, overlay: WindowOverlay, pageIndex: number): number {
  const before = pageIndex * directory.pageEntries;
  return positionIn(before, overlay, directory.firstYields[pageIndex]!, directory.firstOperators[pageIndex]!);
}

/** Where the walk stands at the beginning of a page. The first page's walk begins with the board: entries may be added before it. */
function pageStart(directory: WindowDirectory, overlay: WindowOverlay, pageIndex: number) {
  if (pageIndex === 0) return { position: 0, removedBefore: 0, addedBefore: 0 };
  const y = directory.firstYields[pageIndex]!;
  const operator = directory.firstOperators[pageIndex]!;
  return {
    position: positionOfPage(directory, overlay, pageIndex),
    removedBefore: countKeysBefore(overlay.removed, y, operator),
    addedBefore: countKeysBefore(overlay.added, y, operator),
  };
}
