import { UNSPECIFIED_PLATFORM } from '../../contract/signing/index.ts';
import { byWindow } from '../../contract/windows.ts';
import { cascadeString, percentileOf, tierOf, unrankedReason } from '../core/score.ts';
import type { Methodology } from '../methodologies/methodology.ts';
import type { OperatorSummary } from '../storage/operators.ts';
import type { Profile, WindowScore } from '../types.ts';
import { rankOfYield, totalWith } from './board-ranks.ts';
import type { BoardState } from './board-state.ts';
import { type Movements, movementSince, NO_MOVEMENT } from './movement.ts';
import type { PageCache } from './page-cache.ts';
import { countsOf, windowScores } from './window-scores.ts';

const UNRANKED: Omit<WindowScore, 'unranked'> = {
  yield_: null,
  leverage: null,
  velocity: null,
  class_tier: null,
  rank: null,
  percentile: null,
  ...NO_MOVEMENT,
};

/** Ranks an operator's current record on a board version. Reads few pages, through the cache. */
export async function profileOn(
  pages: PageCache,
  movements: Movements,
  state: BoardState,
  methodology: Methodology,
  summary: OperatorSummary,
): Promise<Profile> {
  const scores = windowScores(summary.totals, methodology);
  const ranking = Promise.all(
    scores.map(async (score, window) =>
      score === null ? null : rankOfYield(pages, state, summary.operator, window, score.yield_),
    ),
  );
  const [ranks, totals, movement] = await Promise.all([
    ranking,
    Promise.all(scores.map((_, window) => totalWith(pages, state, summary.operator, window))),
    movements.of(state.manifest, summary.operator, ranking),
  ]);
  const standings = scores.map((score, window): WindowScore => {
    const rank = ranks[window] ?? null;
    if (score === null || rank === null)
      return { ...UNRANKED, unranked: unrankedReason(countsOf(summary.totals, window), methodology) };
    const percentile = percentileOf(rank, totals[window]!);
    return {
      ...score,
      class_tier: tierOf(score.yield_, methodology),
      rank,
      percentile,
      ...movement[window]!,
      unranked: null,
    };
  });
  return {
    board_version: state.manifest.version,
    methodology: methodology.id,
    codename: summary.codename,
    display_name: summary.displayName,
    platform: summary.platforms[0] ?? UNSPECIFIED_PLATFORM,
    ...standings[0]!,
    ...movementSince(state.manifest),
    cascade_str: cascadeString(scores[0]!),
    windows: byWindow((window) => standings[window]!),
  };
}
