import type { HourRange } from '../../contract/index.ts';
import { UNSPECIFIED_PLATFORM } from '../../contract/signing/index.ts';
import { byWindow, WINDOWS, type Window } from '../../contract/windows.ts';
import { methodologyOf } from '../context.ts';
import { percentileOf, tierOf } from '../core/score.ts';
import type { OperatorSummary } from '../storage/operators.ts';
import type { Movement } from '../types.ts';
import { publishedYield, rankOfYield } from './board-ranks.ts';
import { type BoardState, rankedIn } from './board-state.ts';
import { keptAt } from './kept-boards.ts';
import { NO_MOVEMENT } from './movement.ts';
import type { ViewParts } from './view-parts.ts';

/** What is kept of a row; null where the operator was not ranked. */
export interface KeptStanding extends Movement {
  readonly class_tier: string | null;
  readonly rank: number | null;
  readonly percentile: number | null;
  readonly yield_: number | null;
}

const NOT_RANKED: KeptStanding = { class_tier: null, rank: null, percentile: null, yield_: null, ...NO_MOVEMENT };

/** An operator on a kept board, with its names and platform of now. */
export interface KeptProfile extends KeptStanding {
  readonly codename: string;
  readonly display_name: string | null;
  readonly platform: string;
  readonly methodology: number;
  /** The hour of the board, in milliseconds since the epoch. */
  readonly boardAt: number;
  readonly windows: Readonly<Record<Window, KeptStanding>>;
}

/** An operator on the first kept board of a range of hours; null when none is kept. */
export async function keptProfileOn(
  { context, pages, former }: ViewParts,
  newest: BoardState,
  summary: OperatorSummary,
  range: HourRange,
): Promise<KeptProfile | null> {
  const kept = keptAt(newest.manifest, range);
  if (kept === null) return null;
  const state = await former.kept(newest.manifest, kept);
  const methodology = methodologyOf(context, state.manifest);
  const { operator } = summary;
  const standings = await Promise.all(
    WINDOWS.map(async (_, window): Promise<KeptStanding> => {
      const yield_ = await publishedYield(pages, state, operator, window);
      if (Number.isNaN(yield_)) return NOT_RANKED;
      const rank = await rankOfYield(pages, state, { operator, window, yield_ });
      const percentile = percentileOf(rank, rankedIn(state, window));
      return { class_tier: tierOf(yield_, methodology), rank, percentile, yield_, ...NO_MOVEMENT };
    }),
  );
  return {
    codename: summary.codename,
    display_name: summary.displayName,
    platform: summary.platforms[0] ?? UNSPECIFIED_PLATFORM,
    methodology: methodology.id,
    boardAt: state.manifest.generated_at.getTime(),
    ...standings[0]!,
    windows: byWindow((window) => standings[window]!),
  };
}
