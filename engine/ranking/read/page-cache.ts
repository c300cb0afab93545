import { LRUCache } from 'lru-cache';
import {
  type OperatorPage,
  type OrderPage,
  operatorPageOf,
  operatorSlotOf,
  WINDOW_COUNT,
} from '../core/board/index.ts';
import type { BoardParts } from '../storage/board-parts.ts';

/** Cached pages: at 48 KiB and 12 KiB each, 24 MiB of either kind. */
const CACHED_ORDER_PAGES = 512;
const CACHED_OPERATOR_PAGES = 2_048;

/** A part of a board version was garbage-collected: a newer manifest no longer refers to it. */
export class MissingPartError extends Error {
  override readonly name = 'MissingPartError';
}

/** Attempts of a read whose parts are garbage-collected meanwhile, each on a newer version. */
export const MAX_TRIES = 5;

/** The first result of at most `MAX_TRIES` attempts; null when each gave null or missed a part. */
export async function firstOfTries<T>(attempt: () => Promise<T | null>): Promise<T | null> {
  for (let tries = 0; tries < MAX_TRIES; tries++) {
    const found = await attempt().catch((error: unknown) => {
      if (error instanceof MissingPartError) return null;
      throw error;
    });
    if (found !== null) return found;
  }
  return null;
}

/** An operator's entries in a base run, in the order of WINDOWS: Yields (NaN = unranked) and ranks (0 = unranked). */
export interface BaseRunRanks {
  readonly yields: readonly number[];
  readonly ranks: readonly number[];
}

/** An operator's numbers, one per window. Every verdict reads some: an array is smaller than a view of the page. */
function numbersAt(columns: Float64Array | Uint32Array, at: number): readonly number[] {
  const numbers: number[] = [];
  for (let window = 0; window < WINDOW_COUNT; window++) numbers.push(columns[at + window]!);
  return numbers;
}

export type PageCache = ReturnType<typeof createPageCache>;

/** Caches immutable pages. Throws MissingPartError for a page that was garbage-collected. */
export function createPageCache(parts: BoardParts, maxOrderPages = CACHED_ORDER_PAGES) {
  const orderPages = new LRUCache<string, OrderPage, { base: string; window: number; page: number }>({
    max: maxOrderPages,
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
      const key = `${base}/${window}/${page}`;
      const found = orderPages.get(key) ?? (await orderPages.fetch(key, { context: { base, window, page } }));
      if (found === undefined) throw new MissingPartError(`order page ${page} of ${base}`);
      return found;
    },

    /** An operator's entries in a base run with `slots` slots; null when the operator is newer than the base run. */
    async baseRunRanks(base: { id: string; slots: number }, operator: number): Promise<BaseRunRanks | null> {
      if (operator >= base.slots) return null;
      const page = operatorPageOf(operator);
      const key = `${base.id}/${page}`;
      const found = operatorPages.get(key) ?? (await operatorPages.fetch(key, { context: { base: base.id, page } }));
      if (found === undefined) throw new MissingPartError(`operator page ${page} of ${base.id}`);
      const at = operatorSlotOf(operator) * WINDOW_COUNT;
      return { yields: numbersAt(found.yields, at), ranks: numbersAt(found.ranks, at) };
    },
  };
}
