import { LRUCache } from 'lru-cache';
import { WINDOWS, type Window } from '../../contract/windows.ts';
import { keptHistory, operatorPageOf, operatorSlotOf, WINDOW_COUNT } from '../core/board/index.ts';
import { HOUR_MS } from '../core/operator-state/index.ts';
import type { BoardParts } from '../storage/board-parts.ts';
import type { KeptBaseRun } from '../storage/documents.ts';
import type { HistoryPoint } from '../types.ts';
import { publishedYield, rankOfYield } from './board-ranks.ts';
import type { BoardState } from './board-state.ts';
import type { PageCache } from './page-cache.ts';

/** Operators whose past is remembered: at about 125 points in four windows each, some 20 KB. */
const REMEMBERED_OPERATORS = 500;

/** Pages read by one query: at 48 KiB each about 1.5 MiB. */
const PAGES_A_QUERY = 32;

export type Histories = ReturnType<typeof createHistories>;

/** What kept boards and the current one say of an operator. */
export function createHistories(parts: BoardParts, pages: PageCache) {
  const known = new LRUCache<string, readonly (readonly HistoryPoint[])[]>({ max: REMEMBERED_OPERATORS });

  /** The points of kept boards, by window. The pages are read past the page cache, which present boards need more. */
  async function past(kept: readonly KeptBaseRun[], operator: number): Promise<readonly (readonly HistoryPoint[])[]> {
    const key = `${operator}/${kept.at(-1)?.base ?? ''}`;
    const remembered = known.get(key);
    if (remembered !== undefined) return remembered;
    const points = WINDOWS.map((): HistoryPoint[] => []);
    for (let from = 0; from < kept.length; from += PAGES_A_QUERY) {
      const some = kept.slice(from, from + PAGES_A_QUERY);
      const found = await parts.operatorPageIn(
        some.map(({ base }) => base),
        operatorPageOf(operator),
      );
      for (const { base, hour, methodology } of some) {
        const page = found.get(base);
        if (page === undefined) continue;
        const at = operatorSlotOf(operator) * WINDOW_COUNT;
        for (const [window, list] of points.entries()) {
          list.push(pointOf(hour * HOUR_MS, methodology, page.yields[at + window]!, page.ranks[at + window]!));
        }
      }
    }
    known.set(key, points);
    return points;
  }

  return {
    /** Oldest first: a point for every kept board made since the operator's number was given, and the current one. */
    async of(state: BoardState, operator: number, name: Window): Promise<readonly HistoryPoint[]> {
      const window = WINDOWS.indexOf(name);
      const { history, hour, generated_at, methodology } = state.manifest;
      const points = (await past(keptHistory(history, hour), operator))[window]!;
      const yield_ = await publishedYield(pages, state, operator, window);
      const rank = Number.isNaN(yield_) ? 0 : await rankOfYield(pages, state, operator, window, yield_);
      const now = pointOf(generated_at.getTime(), methodology, yield_, rank);
      return [...points.filter(({ at }) => at < now.at), now];
    },
  };
}

function pointOf(at: number, methodology: number, yield_: number, rank: number): HistoryPoint {
  return rank === 0 ? { at, methodology, yield_: null, rank: null } : { at, methodology, yield_, rank };
}
