import { UNSPECIFIED_PLATFORM } from '../../contract/signing/index.ts';
import { byWindow, WINDOWS } from '../../contract/windows.ts';
import { cascadeString, percentileOf, type Score, tierOf } from '../core/score.ts';
import type { Methodology } from '../methodologies/methodology.ts';
import type { OperatorSummary } from '../storage/operators.ts';
import type { Movement, Profile, WindowScore } from '../types.ts';
import { publishedYield, rankOfYield } from './board-ranks.ts';
import { type BoardState, rankedIn } from './board-state.ts';
import { type Movements, NO_MOVEMENT } from './movement.ts';
import type { PageCache } from './page-cache.ts';
import { windowScores } from './window-scores.ts';

const UNRANKED: WindowScore = {
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
  const standings = WINDOWS.map((_, window) =>
    windowScore(scores[window]!, ranks[window]!, totals[window]!, movement[window]!, methodology),
  );
  return {
    board_version: state.manifest.version,
    methodology: methodology.id,
    codename: summary.codename,
    display_name: summary.displayName,
    platform: summary.platforms[0] ?? UNSPECIFIED_PLATFORM,
    ...standings[0]!,
    cascade_str: cascadeString(scores[0]!),
    windows: byWindow((window) => standings[window]!),
  };
}

/** Number of ranked operators of a window, including this one. */
async function totalWith(pages: PageCache, state: BoardState, operator: number, window: number): Promise<number> {
  const own = await publishedYield(pages, state, operator, window);
  return rankedIn(state, window) + (Number.isNaN(own) ? 1 : 0);
}

function windowScore(
  score: Score | null,
  rank: number | null,
  total: number,
  movement: Movement,
  methodology: Methodology,
): WindowScore {
  if (score === null || rank === null) return UNRANKED;
  return {
    ...score,
    class_tier: tierOf(score.yield_, methodology),
    rank,
    percentile: percentileOf(rank, total),
    ...movement,
  };
}
