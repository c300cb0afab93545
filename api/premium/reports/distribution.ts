import type { FieldDistributionBody, Window } from '../../../engine/contract/index.ts';
import type { BoardRow, BoardView } from '../../../engine/ranking/index.ts';
import { boardHead } from './board-head.ts';
import { scanField } from './field-scan.ts';
import { spreadOf } from './spread.ts';

/** Platforms an answer names at most, those most used first. */
const MAX_PLATFORMS = 1_000;

interface Scores {
  readonly yields: number[];
  readonly leverages: number[];
  readonly velocities: number[];
}

/**
 * How the scores of a window are spread, over all its operators or over those of a platform; null when nobody uses the
 * platform. One pass over the board, which keeps three numbers an operator.
 */
export async function distributionOf(
  board: BoardView,
  window: Window,
  platform: string | null,
): Promise<FieldDistributionBody | null> {
  const chosen = emptyScores();
  const yieldsByPlatform = new Map<string, number[]>();
  for await (const rows of scanField(board, window)) {
    for (const row of rows) {
      add(yieldsByPlatform, row);
      if (platform === null || row.platform === platform) take(chosen, row);
    }
  }
  const operators = chosen.yields.length;
  if (operators === 0 && platform !== null) return null;
  return {
    type: 'field_distribution',
    ...boardHead(board),
    window,
    platform,
    operators,
    yield_: spreadOf(Float64Array.from(chosen.yields)),
    leverage: spreadOf(Float64Array.from(chosen.leverages)),
    velocity: spreadOf(Float64Array.from(chosen.velocities)),
    platforms: platformsOf(yieldsByPlatform),
  };
}

function emptyScores(): Scores {
  return { yields: [], leverages: [], velocities: [] };
}

function take(scores: Scores, { yield_, leverage, velocity }: BoardRow): void {
  scores.yields.push(yield_);
  scores.leverages.push(leverage);
  scores.velocities.push(velocity);
}

function add(yieldsByPlatform: Map<string, number[]>, { platform, yield_ }: BoardRow): void {
  const known = yieldsByPlatform.get(platform);
  if (known === undefined) yieldsByPlatform.set(platform, [yield_]);
  else known.push(yield_);
}

/** Yields come in board order, which is descending: the middle of them is their median. */
function platformsOf(yieldsByPlatform: ReadonlyMap<string, readonly number[]>): FieldDistributionBody['platforms'] {
  let total = 0;
  for (const yields of yieldsByPlatform.values()) total += yields.length;
  return Array.from(yieldsByPlatform, ([platform, yields]) => ({
    platform,
    operators: yields.length,
    share: yields.length / total,
    median_yield: medianOf(yields),
  }))
    .toSorted((a, b) => b.operators - a.operators || (a.platform < b.platform ? -1 : 1))
    .slice(0, MAX_PLATFORMS);
}

function medianOf(inOrder: readonly number[]): number {
  const last = inOrder.length - 1;
  const [low, high] = [inOrder[Math.floor(last / 2)]!, inOrder[Math.ceil(last / 2)]!];
  return low + (high - low) / 2;
}
