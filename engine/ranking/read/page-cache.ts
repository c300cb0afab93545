import { LRUCache } from 'lru-cache';
import {
  type OperatorPage,
  type OrderPage,
  operatorPageOf,
  operatorSlotOf,
  WINDOW_COUNT,
} from '../core/board/index.ts';
import type { BoardParts } from '../storage/board-parts.ts';

/** Pages kept in memory: at 48 KiB and 12 KiB each, 24 MiB of either kind. */
const CACHED_ORDER_PAGES = 512;
const CACHED_OPERATOR_PAGES = 2_048;

/** A part of the board that a reader counted on is gone: a newer root does without it. */
export class MissingPartError extends Error {}

/** What a base says of one operator, in the order of WINDOWS: Yields (NaN = unranked) and ranks (0 = unranked). */
export interface BaseRunRanks {
  readonly yields: readonly number[];
  readonly ranks: readonly number[];
}

/** An operator's numbers, one a window. Every answer to a snapshot reads some: a view of the page would be larger than they. */
function numbersAt(columns: Float64Array | Uint32Array, at: number): readonly number[] {
  const numbers: number[] = [];
  for (let window = 0; window < WINDOW_COUNT; window++) numbers.push(columns[at + window]!);
  return numbers;
}

export type PageCache = ReturnType<typeof createPageCache>;

/** Immutable pages, read once and kept while they are used. Throws MissingPartError for a page that was swept. */
export function createPageCache(parts: BoardParts) {
  const orderPages = new LRUCache<string, OrderPage, { base: string; window: number; page: number }>({
    max: CACHED_ORDER_PAGES,
    fetchMethod: async (_key, _stale, { context }) =>
      (await parts.orderPage(context.base, context.window, context.page)) ?? undefined,
  });
  const operatorPages = new LRUCache<string, OperatorPage, { base: string; page: number }>({
    max: CACHED_OPERATOR_PAGES,
    fetchMethod: async (_key, _stale, { context }) =>
      (await parts.operatorPage(context.base, context.page)) ?? undefined,
  });

  return {
    async orderPage(base: string, window: number, page: number): Promise<OrderPage> {
      const found = await orderPages.fetch(`${base}/${window}/${page}`, { context: { base, window, page } });
      if (found === undefined) throw new MissingPartError(`order page ${page} of ${base}`);
      return found;
    },

    /** An operator in a base of `slots` operators; null when the base was built before there was such an operator. */
    async baseRunRanks(base: { id: string; slots: number }, operator: number): Promise<BaseRunRanks | null> {
      if (operator >= base.slots) return null;
      const page = operatorPageOf(operator);
      const found = await operatorPages.fetch(`${base.id}/${page}`, { context: { base: base.id, page } });
      if (found === undefined) throw new MissingPartError(`operator page ${page} of ${base.id}`);
      const at = operatorSlotOf(operator) * WINDOW_COUNT;
      return { yields: numbersAt(found.yields, at), ranks: numbersAt(found.ranks, at) };
    },
  };
}
