import { HOUR_MS } from '../../../config/units.ts';
import { WINDOWS } from '../../contract/windows.ts';
import { methodologyOf } from '../context.ts';
import { boardAgo, keptHistory, type RankedEntry } from '../core/board/index.ts';
import { tierOf } from '../core/score.ts';
import type { KeptBaseRun } from '../storage/board-manifest.ts';
import { readSlice } from './board-ranks.ts';
import type { BoardState } from './board-state.ts';
import { HOURS_24H } from './movement.ts';
import type { ViewParts } from './view-parts.ts';

/** First rows of a board that are read, and the most items of a feed: the newest. */
const ROWS = 100;

/** An item of a feed: `kind`, `at` and codename are its identity. Without a codename it is about the board. */
export interface FeedItem {
  readonly kind: 'first' | `${'entered' | 'left'}_${10 | 100}` | 'tier' | 'methodology';
  /** The hour of the later board, or when the methodology switched, in milliseconds since the epoch. */
  readonly at: number;
  readonly methodology: number;
  readonly codename?: string;
  /** Rank and tier on the later board; undefined for a row beyond those that were read. */
  readonly rank?: number | undefined;
  readonly tier?: string | undefined;
}

/**
 * What happened on the hourly boards of the last day, newest first: among the first rows, or to one operator. Only boards with none
 * between them are compared, so no item changes. Reads one page of each of at most 25 boards, or the operator's history.
 */
export async function feedOf(parts: ViewParts, newest: BoardState, operator: number | null): Promise<FeedItem[]> {
  const { context, former, pages, histories } = parts;
  const { history, hour, switches = [] } = newest.manifest;
  const from = boardAgo(history, hour, HOURS_24H)?.hour ?? 0;
  const kept = keptHistory(history, hour).filter((board) => board.hour >= from);
  const points = operator === null ? [] : await histories.of(newest, operator, 'all_time');
  const rowsOf = async (board: KeptBaseRun): Promise<readonly RankedEntry[]> => {
    const slice = { window: WINDOWS.indexOf('all_time'), offset: 0, limit: ROWS };
    if (operator === null) return readSlice(pages, await former.kept(newest.manifest, board), slice);
    const { rank = null, yield_ = null } = points.find(({ at }) => at === board.hour * HOUR_MS) ?? {};
    return rank === null || yield_ === null ? [] : [{ operator, rank, yield_ }];
  };
  const boards = await Promise.all(kept.map(rowsOf));
  const changes = kept.slice(1).flatMap((board, index) => {
    const methodology = methodologyOf(context, board);
    const tierAt = (row: RankedEntry | undefined) => row && tierOf(row.yield_, methodology);
    const [before, after] = [index, index + 1].map((at) => new Map(boards[at]!.map((row) => [row.operator, row])));
    return [...new Set([...after!.keys(), ...before!.keys()])].flatMap((of) => {
      const [was, is] = [before!.get(of), after!.get(of)];
      // Tiers of two methodologies are not compared.
      const isHigher = was && is && is.yield_ > was.yield_ && tierAt(is) !== tierAt(was);
      const tier = isHigher && kept[index]!.methodology === board.methodology ? (['tier'] as const) : [];
      const place = { at: board.hour * HOUR_MS, rank: is?.rank, tier: tierAt(is), methodology: methodology.id };
      return [...movesOf(was?.rank, is?.rank), ...tier].map((kind) => ({ kind, of, ...place }));
    });
  });
  const shown = changes.toSorted((a, b) => b.at - a.at).slice(0, ROWS);
  const summaries = await context.stores.operators.summaries([...new Set(shown.map(({ of }) => of))]);
  const named = shown.flatMap(({ of, ...item }): FeedItem[] => {
    const summary = summaries.find((each) => each.operator === of);
    return summary?.listed === true ? [{ ...item, codename: summary.codename }] : [];
  });
  const switched = switches
    .map(({ at, to: { methodology } }) => ({ kind: 'methodology', at: at.getTime(), methodology }) as const)
    .filter(({ at }) => at >= from * HOUR_MS);
  return [...switched, ...named].toSorted((a, b) => b.at - a.at).slice(0, ROWS);
}

/** The greatest move between two ranks, if any; without a rank the row is beyond those that were read. */
function movesOf(was = Infinity, is = Infinity): readonly FeedItem['kind'][] {
  if (is === 1 && was !== 1) return ['first'];
  const limits = [10, 100] as const;
  const limit = (is < was ? limits : limits.toReversed()).find((rows) => is <= rows !== was <= rows);
  return limit === undefined ? [] : [`${is < was ? 'entered' : 'left'}_${limit}`];
}
