import type { WindowDelta } from './delta.ts';
import { positionIn, rankedCount, rankIn } from './delta.ts';
import { countGreater, isGreaterKnown, type OrderPage, orderPageForYield, type WindowDirectory } from './directory.ts';
import { type BoardKeys, countKeysBefore, isBefore } from './keys.ts';

/** An entry of a window with its competition rank. */
export interface RankedEntry {
  readonly operator: number;
  readonly yield_: number;
  readonly rank: number;
}

/**
 * Reads the entries of a window at positions [offset, offset + limit) of base run and delta merged; fewer at the end of the
 * board. Does no I/O: while `needs()` returns the index of an order page, `feed` that page of the window; then call
 * `result()`. Needs only the pages with those entries, and at most one more, when entries with the first Yield precede the
 * slice.
 */
export class SliceCursor {
  readonly #directory: WindowDirectory;
  readonly #delta: WindowDelta;
  readonly #offset: number;
  /** Position after the last entry of the slice. */
  readonly #end: number;
  readonly #entries: RankedEntry[] = [];
  /** Position of the next entry in base run and delta merged. */
  #position: number;
  readonly #edits: EditWalk;
  /** The current order page, undefined until it is fed, and the index of its next entry. */
  #pageIndex: number;
  #page: OrderPage | undefined;
  #atEntry = 0;
  /** The first entry of the slice, while the page that determines its rank is needed. */
  #unranked: { readonly y: number; readonly operator: number; readonly pageIndex: number } | null = null;

  constructor(directory: WindowDirectory, delta: WindowDelta, offset: number, limit: number) {
    this.#directory = directory;
    this.#delta = delta;
    this.#offset = offset;
    this.#end = Math.min(offset + limit, rankedCount(directory.count, delta));
    this.#pageIndex = startPage(directory, delta, offset);
    // For the first page the walk starts with the board: the delta may add entries before it.
    const start = this.#pageIndex === 0 ? null : firstKeyOf(directory, this.#pageIndex);
    this.#position = start === null ? 0 : positionOfPage(directory, delta, this.#pageIndex);
    this.#edits = new EditWalk(delta, start);
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
      this.#push(y, operator, rankIn(countGreater(this.#directory, pageIndex, page, y), this.#delta, y));
    }
    this.#walk();
  }

  /** In board order. Throws an Error while a page is needed. */
  result(): readonly RankedEntry[] {
    const needed = this.needs();
    if (needed !== null) throw new Error(`order page ${needed} is needed to complete the slice`);
    return this.#entries;
  }

  /** Advances in merged order until the slice is complete or a page is needed. */
  #walk(): void {
    const edits = this.#edits;
    while (this.#position < this.#end && this.#unranked === null) {
      this.#skipRemoved();
      const { y, operator } = edits;
      if (edits.sign > 0 && this.#isBeforeBase(y, operator)) {
        edits.next();
        this.#visit(y, operator);
        continue;
      }
      const page = this.#page;
      if (page === undefined) return;
      const at = this.#atEntry++;
      this.#visit(page.yields[at]!, page.operators[at]!);
    }
  }

  /** Skips removed base entries, and leaves a page at its end. */
  #skipRemoved(): void {
    const edits = this.#edits;
    const page = this.#page;
    if (page === undefined) return;
    while (edits.sign < 0 && edits.operator === page.operators[this.#atEntry]) {
      this.#atEntry++;
      edits.next();
    }
    if (this.#atEntry < page.operators.length) return;
    this.#page = undefined;
    this.#pageIndex++;
  }

  /** Whether an added entry precedes the next base entry. The directory has the first entry of a page that is not fed yet. */
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

  /** Entries with the same Yield may precede the slice, so the rank of the first entry is counted by search. */
  #pushFirst(y: number, operator: number): void {
    const pageIndex = orderPageForYield(this.#directory, y);
    const page = pageIndex === this.#pageIndex ? this.#page : undefined;
    if (pageIndex !== null && page === undefined && !isGreaterKnown(this.#directory, pageIndex, y)) {
      this.#unranked = { y, operator, pageIndex };
      return;
    }
    this.#push(y, operator, rankIn(countGreater(this.#directory, pageIndex, page, y), this.#delta, y));
  }

  #push(y: number, operator: number, rank: number): void {
    this.#entries.push({ operator, yield_: y, rank });
    this.#position++;
  }
}

/** The last page that starts at or before `offset` in base run and delta merged; the first if none does. */
function startPage(directory: WindowDirectory, delta: WindowDelta, offset: number): number {
  let low = 1;
  let high = directory.firstYields.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (positionOfPage(directory, delta, middle) <= offset) low = middle + 1;
    else high = middle;
  }
  return low - 1;
}

function positionOfPage(directory: WindowDirectory, delta: WindowDelta, pageIndex: number): number {
  const { y, operator } = firstKeyOf(directory, pageIndex);
  return positionIn(pageIndex * directory.pageEntries, delta, y, operator);
}

function firstKeyOf(directory: WindowDirectory, pageIndex: number): { readonly y: number; readonly operator: number } {
  return { y: directory.firstYields[pageIndex]!, operator: directory.firstOperators[pageIndex]! };
}

/** The entries that one level removes or adds, with a read position. */
interface Source {
  readonly keys: BoardKeys;
  readonly isAdded: boolean;
  at: number;
}

/** Iterates in board order over the net edits of all levels of a window: at most one edit per entry. */
export class EditWalk {
  readonly #sources: Source[];
  /** The current edit: 1 adds an entry to the base run, −1 removes one, 0 = no more edits. */
  sign: -1 | 0 | 1 = 0;
  y = 0;
  operator = 0;

  /** Starts at the first edit not before the key `from`, or at the first edit when `from` is null. */
  constructor(delta: WindowDelta, from: { readonly y: number; readonly operator: number } | null) {
    const start = (keys: BoardKeys): number => (from === null ? 0 : countKeysBefore(keys, from.y, from.operator));
    this.#sources = delta.flatMap(({ removed, added }) => [
      { keys: removed, isAdded: false, at: start(removed) },
      { keys: added, isAdded: true, at: start(added) },
    ]);
    this.next();
  }

  next(): void {
    for (;;) {
      const first = this.#first();
      if (first === undefined) {
        this.sign = 0;
        return;
      }
      this.y = first.keys.yields[first.at]!;
      this.operator = first.keys.operators[first.at]!;
      const sum = this.#consume();
      if (sum === 0) continue;
      this.sign = sum > 0 ? 1 : -1;
      return;
    }
  }

  /** The source with the first next entry; undefined when all are exhausted. */
  #first(): Source | undefined {
    let first: Source | undefined;
    for (const source of this.#sources) {
      const { keys, at } = source;
      if (at === keys.yields.length) continue;
      if (first === undefined || isNextBefore(source, first)) first = source;
    }
    return first;
  }

  /** Consumes the current entry in every source; returns the number of additions minus removals. */
  #consume(): number {
    let sum = 0;
    for (const source of this.#sources) {
      const { keys, at, isAdded } = source;
      if (keys.operators[at] !== this.operator || keys.yields[at] !== this.y) continue;
      source.at++;
      sum += isAdded ? 1 : -1;
    }
    return sum;
  }
}

function isNextBefore(a: Source, b: Source): boolean {
  return isBefore(a.keys.yields[a.at]!, a.keys.operators[a.at]!, b.keys.yields[b.at]!, b.keys.operators[b.at]!);
}
