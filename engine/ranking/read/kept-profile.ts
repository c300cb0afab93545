import type { HourRange } from '../../contract/index.ts';
import { UNSPECIFIED_PLATFORM } from '../../contract/signing/index.ts';
import { byWindow, WINDOWS } from '../../contract/windows.ts';
import { methodologyOf } from '../context.ts';
import type { OperatorSummary } from '../storage/operators.ts';
import { pagedBoard, placeOf, placesOn } from './board-page.ts';
import { type BoardState, rankedIn } from './board-state.ts';
import { NO_MOVEMENT } from './movement.ts';
import type { ViewParts } from './view-parts.ts';

/** What is kept of a row where the operator was not ranked. */
const NOT_RANKED = { class_tier: null, rank: null, percentile: null, yield_: null, ...NO_MOVEMENT };

/** An operator on a kept board, with its names and platform of now. */
export type KeptProfile = NonNullable<Awaited<ReturnType<typeof keptProfileOn>>>;

/** An operator on the first kept board of a range of hours; null when none is kept. */
export async function keptProfileOn(parts: ViewParts, newest: BoardState, summary: OperatorSummary, at: HourRange) {
  const board = await pagedBoard(parts, newest, { window: 'all_time', at });
  if (board === null) return null;
  const { state } = board;
  const methodology = methodologyOf(parts.context, state.manifest);
  const standings = await Promise.all(
    WINDOWS.map(async (_, window) => {
      const [found] = await placesOn(parts, { ...board, window }, [summary]);
      if (found === undefined || found.rank === null) return NOT_RANKED;
      return { ...placeOf(found.yield_, found.rank, rankedIn(state, window), methodology), ...NO_MOVEMENT };
    }),
  );
  return {
    codename: summary.codename,
    display_name: summary.displayName,
    platform: summary.platforms[0] ?? UNSPECIFIED_PLATFORM,
    methodology: methodology.id,
    /** The hour of the board, in milliseconds since the epoch. */
    boardAt: state.manifest.generated_at.getTime(),
    ...standings[0]!,
    windows: byWindow((window) => standings[window]!),
  };
}
