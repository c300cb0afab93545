import { LRUCache } from 'lru-cache';
import { HOUR_MS } from '../../../config/units.ts';
import { WINDOWS, type Window } from '../../contract/windows.ts';
import { keptHistory, operatorPageOf, operatorSlotOf, WINDOW_COUNT } from '../core/board/index.ts';
import type { ManifestDocument } from '../storage/board-manifest.ts';
import type { BoardParts } from '../storage/board-parts.ts';
import type { HistoryPoint } from '../types.ts';
import { publishedYield, rankOfYield } from './board-ranks.ts';
import type { BoardState } from './board-state.ts';
import type { PageCache } from './page-cache.ts';

/** Operators with cached points: about 125 points in each window, 20 KB each. */
const CACHED_OPERATORS = 500;

/** Pages per query. */
const PAGES_PER_QUERY = 32;

export type Histories = ReturnType<typeof createHistories>;

/** Reads an operator's history from the kept boards and the current one. */
export function createHistories(parts: BoardParts, pages: PageCache) {
  const cache = new LRUCache<string, readonly (readonly HistoryPoint[])[]>({ max: CACHED_OPERATORS });

  /** The points of kept boards, by window. Bypasses the page cache, to keep it for the current board. */
  async function past(
    { history, hour: now }: ManifestDocument,
    operator: number,
  ): Promise<readonly (readonly HistoryPoint[])[]> {
    const kept = keptHistory(history, now);
    const newest = kept.at(-1);
    // A base run without changes is kept again for the next hour, and older ones are dropped as the hour advances.
    const key = `${operator}/${now}/${newest?.hour}/${newest?.base}`;
    const cached = cache.get(key);
    if (cached !== undefined) return cached;
    const points = WINDOWS.map((): HistoryPoint[] => []);
    for (let from = 0; from < kept.length; from += PAGES_PER_QUERY) {
      const slice = kept.slice(from, from + PAGES_PER_QUERY);
      const found = await parts.operatorPageIn(
        slice.map(({ base }) => base),
        operatorPageOf(operator),
      );
      for (const { base, hour, methodology } of slice) {
        const page = found.get(base);
        if (page === undefined) continue;
        const at = operatorSlotOf(operator) * WINDOW_COUNT;
        for (const [window, windowPoints] of points.entries()) {
          windowPoints.push(pointOf(hour * HOUR_MS, methodology, page.yields[at + window]!, page.ranks[at + window]!));
        }
      }
    }
    cache.set(key, points);
    return points;
  }

  return {
    /** Oldest first: a point for every kept board since the operator's number was assigned, and the current one. */
    async of(state: BoardState, operator: number, name: Window): Promise<readonly HistoryPoint[]> {
      const window = WINDOWS.indexOf(name);
      const { generated_at, methodology } = state.manifest;
      const points = (await past(state.manifest, operator))[window]!;
      const yield_ = await publishedYield(pages, state, operator, window);
      const rank = Number.isNaN(yield_) ? 0 : await rankOfYield(pages, state, { operator, window, yield_ });
      const now = pointOf(generated_at.getTime(), methodology, yield_, rank);
      return [...points.filter(({ at }) => at < now.at), now];
    },
  };
}

function pointOf(at: number, methodology: number, yield_: number, rank: number): HistoryPoint {
  return rank === 0 ? { at, methodology, yield_: null, rank: null } : { at, methodology, yield_, rank };
}
