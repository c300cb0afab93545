import type { Platform } from '../../contract/platforms.ts';
import type { Window } from '../../contract/windows.ts';
import { sourceOf } from '../../integrity/index.ts';
import { methodologyOf } from '../context.ts';
import { percentileOf, tierOf } from '../core/score.ts';
import { judgeOf } from '../core/score-record.ts';
import type { OperatorSummary } from '../storage/operators.ts';
import { type PagedBoard, pagedBoard, placedYield } from './board-page.ts';
import { countAbove, positionOfYield, readSlice } from './board-ranks.ts';
import { type BoardState, rankedIn } from './board-state.ts';
import type { ViewParts } from './view-parts.ts';

/** A Yield to be placed on a board, as a row beside those that are there. */
export interface StandingRequest {
  readonly window: Window;
  /** Finite, at least 0. */
  readonly yield_: number;
  /** The operator whose own entry is left out; null: none. */
  readonly without: string | null;
  /** Places it on the board of this platform. */
  readonly platform?: Platform | null;
}

/** Where a Yield stands. */
export type Standing = NonNullable<Awaited<ReturnType<typeof standingOn>>>;

/** The place of a Yield on the newest board, or a platform's; null when the operator to be left out does not exist. */
export async function standingOn(
  parts: ViewParts,
  newest: BoardState,
  { window: name, yield_, without, platform = null }: StandingRequest,
) {
  const { context } = parts;
  const board = await pagedBoard(parts, newest, { window: name, at: null, platform });
  const summary = without === null ? null : await context.stores.operators.byCodename(without);
  if (board === null || (without !== null && summary?.listed !== true)) return null;
  const { state, pages, window } = board;
  const methodology = methodologyOf(context, state.manifest);
  const own = summary === null ? Number.NaN : await rowYield(parts, board, summary);
  const rankAt = async (of: number): Promise<number> =>
    1 + (await countAbove(pages, state, window, of)) - (own > of ? 1 : 0);
  const above = await countAbove(pages, state, window, yield_);
  // The row before the Yield, or the one before that where it is the operator's own.
  const before = await readSlice(pages, state, { window, offset: Math.max(0, above - 2), limit: Math.min(2, above) });
  const next = before.findLast(({ operator }) => operator !== summary?.operator)?.yield_;
  const nextTier = methodology.tiers.find(({ from }) => from > yield_)?.from;
  /** A place on the board and the Yield that it takes. */
  const placeAt = async (of: number | undefined) =>
    of === undefined ? null : { rank: await rankAt(of), yield_: of, class_tier: tierOf(of, methodology) };
  const rank = await rankAt(yield_);
  /** Ranked operators, with this row. */
  const total = rankedIn(state, window) + (Number.isNaN(own) ? 1 : 0);
  return {
    board_version: state.manifest.version,
    methodology: methodology.id,
    /** When the board was made, in milliseconds since the epoch. */
    boardAt: state.manifest.generated_at.getTime(),
    rank,
    total_operators: total,
    percentile: percentileOf(rank, total),
    class_tier: tierOf(yield_, methodology),
    needs: judgeOf(methodology).needOf(yield_, sourceOf(platform ?? summary?.platforms[window] ?? null)),
    /** Null at the top. */
    next_place: await placeAt(next),
    next_tier: await placeAt(nextTier),
  };
}

/** The Yield of an operator's row; NaN without one, and on a platform's board where its record has moved away from it. */
async function rowYield(parts: ViewParts, board: PagedBoard, summary: OperatorSummary): Promise<number> {
  const { state, pages, window, platform } = board;
  const yield_ = await placedYield(parts, board, summary);
  if (platform === null || Number.isNaN(yield_)) return yield_;
  const { operator } = summary;
  const offset = await positionOfYield(pages, state, { operator, window, yield_ });
  const [row] = await readSlice(pages, state, { window, offset, limit: 1 });
  return row?.operator === operator ? row.yield_ : Number.NaN;
}
