import {
  applySegment,
  type BuiltBaseRun,
  buildBaseRun,
  countBefore,
  countGreater,
  currentYieldOf,
  type Delta,
  decodeDirectories,
  decodeOperatorPage,
  decodeOrderPage,
  decodeSegment,
  emptyDelta,
  encodeDirectories,
  encodeOperatorPage,
  encodeOrderPage,
  encodeSegment,
  type LevelSizes,
  makeSegment,
  mergeSegments,
  type OperatorPage,
  type OrderPage,
  operatorPageOf,
  operatorSlotOf,
  orderPageForKey,
  orderPageForYield,
  type PageSizes,
  positionIn,
  type RankedEntry,
  rankExcluding,
  rankedCount,
  rankIn,
  type Segment,
  SliceCursor,
  WINDOW_COUNT,
  type WindowDirectory,
} from '../../../../../engine/ranking/core/board/index.ts';

/** Yields of an operator by window, null = unranked. */
export type WindowYields = ReadonlyArray<number | null>;

/** Parts of a base run, encoded and decoded again as by a store. */
interface StoredBaseRun {
  readonly directories: readonly WindowDirectory[];
  readonly orderPages: ReadonlyArray<readonly OrderPage[]>;
  readonly operatorPages: readonly OperatorPage[];
}

/** Sizes of pages, and of a delta's levels: by default those of the engine. */
export interface BoardSizes extends PageSizes {
  readonly levels?: LevelSizes;
}

/** A board built only from `core`, used as committer, compaction and reader use it, with pages in memory. */
export class BoardInMemory {
  readonly sizes: BoardSizes;
  readonly yields = new Map<number, WindowYields>();
  delta: Delta = emptyDelta;
  base: StoredBaseRun;
  segments: Segment[] = [];
  pagesRead = 0;

  constructor(sizes: BoardSizes) {
    this.sizes = sizes;
    this.base = this.#store(buildBaseRun(new Float64Array(0), sizes));
  }

  commit(changes: ReadonlyArray<readonly [operator: number, yields: WindowYields]>): void {
    const segment = makeSegment(
      changes.map(([operator, after]) => ({
        operator,
        before: toNumbers(this.yields.get(operator) ?? Array.from({ length: WINDOW_COUNT }, () => null)),
        after: toNumbers(after),
      })),
    );
    for (const [operator, after] of changes) this.yields.set(operator, after);
    const stored = decodeSegment(encodeSegment(segment));
    this.segments.push(stored);
    this.delta = applySegment(this.delta, stored, this.sizes.levels);
  }

  compact(): void {
    this.base = this.#store(buildBaseRun(tableOf(this.yields), this.sizes));
    this.delta = emptyDelta;
    this.segments = [];
  }

  /** The delta of all segments since the base run, merged in advance. */
  deltaOfMergedSegments(): Delta {
    const [first, ...others] = this.segments;
    return first === undefined ? emptyDelta : applySegment(emptyDelta, mergeSegments(first, ...others));
  }

  total(window: number): number {
    return rankedCount(this.base.directories[window]!.count, this.delta.windows[window]!);
  }

  rank(window: number, y: number): number {
    return rankIn(this.#baseGreater(window, y), this.delta.windows[window]!, y);
  }

  rankWithout(window: number, y: number, operator: number): number {
    const own = this.yieldOf(window, operator);
    return rankExcluding(this.#baseGreater(window, y), this.delta.windows[window]!, y, own);
  }

  /** NaN = unranked. */
  yieldOf(window: number, operator: number): number {
    return currentYieldOf(this.delta, operator, window) ?? this.baseEntry(window, operator).yield_;
  }

  baseEntry(window: number, operator: number): { yield_: number; rank: number } {
    const page = this.base.operatorPages[operatorPageOf(operator, this.sizes.operatorPageSlots)];
    const at = operatorSlotOf(operator, this.sizes.operatorPageSlots) * WINDOW_COUNT + window;
    return { yield_: page?.yields[at] ?? Number.NaN, rank: page?.ranks[at] ?? 0 };
  }

  position(window: number, y: number, operator: number): number {
    const directory = this.base.directories[window]!;
    const index = orderPageForKey(directory, y, operator);
    const page = index === null ? undefined : this.#page(window, index);
    const before = countBefore(directory, { y, operator, pageIndex: index, page });
    return positionIn(before, this.delta.windows[window]!, y, operator);
  }

  cursor(window: number, offset: number, limit: number): SliceCursor {
    return new SliceCursor(this.base.directories[window]!, this.delta.windows[window]!, offset, limit);
  }

  slice(window: number, offset: number, limit: number): readonly RankedEntry[] {
    const cursor = this.cursor(window, offset, limit);
    for (let page = cursor.needs(); page !== null; page = cursor.needs()) {
      cursor.feed(this.#page(window, page));
      this.pagesRead++;
    }
    return cursor.result();
  }

  #baseGreater(window: number, y: number): number {
    const directory = this.base.directories[window]!;
    const index = orderPageForYield(directory, y);
    return countGreater(directory, index, index === null ? undefined : this.#page(window, index), y);
  }

  #page(window: number, index: number): OrderPage {
    const page = this.base.orderPages[window]![index];
    if (page === undefined) throw new Error(`window ${window} has no order page ${index}`);
    return page;
  }

  #store(built: BuiltBaseRun): StoredBaseRun {
    return {
      directories: decodeDirectories(encodeDirectories(built.directories)),
      orderPages: built.directories.map((_, window) =>
        Array.from(built.orderPages(window), (page) => decodeOrderPage(encodeOrderPage(page, window), window)),
      ),
      operatorPages: Array.from(built.operatorPages(), (page) => decodeOperatorPage(encodeOperatorPage(page))),
    };
  }
}

/** A table of Yields: `WINDOW_COUNT` per slot, NaN = unranked. */
export function tableOf(yields: ReadonlyMap<number, WindowYields>): Float64Array {
  const slots = yields.size === 0 ? 0 : Math.max(...yields.keys()) + 1;
  const table = new Float64Array(slots * WINDOW_COUNT).fill(Number.NaN);
  for (const [operator, ofWindows] of yields) table.set(toNumbers(ofWindows), operator * WINDOW_COUNT);
  return table;
}

function toNumbers(yields: WindowYields): number[] {
  return yields.map((y) => y ?? Number.NaN);
}
