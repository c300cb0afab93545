import type { FieldDistributionBody, Window } from '../../../engine/contract/index.ts';
import type { BoardRow, BoardView } from '../../../engine/ranking/index.ts';
import { boardHead, scanRows } from './read-board.ts';
import { spreadOf } from './spread.ts';

/** Maximum number of platforms in a report, most used first. */
const MAX_PLATFORMS = 1_000;

/**
 * The distribution of a window's scores over all its operators, or over those of a platform; null when no operator uses the
 * platform. One pass over the board, with three numbers per operator in memory.
 */
export async function distributionOf(
  board: BoardView,
  window: Window,
  platform: string | null,
): Promise<FieldDistributionBody | null> {
  const yields: number[] = [];
  const leverages: number[] = [];
  const velocities: number[] = [];
  const yieldsByPlatform = new Map<string, number[]>();
  for await (const rows of scanRows(board, window)) {
    for (const row of rows) {
      add(yieldsByPlatform, row);
      if (platform !== null && row.platform !== platform) continue;
      yields.push(row.yield_);
      leverages.push(row.leverage);
      velocities.push(row.velocity);
    }
  }
  const operators = yields.length;
  if (operators === 0 && platform !== null) return null;
  return {
    type: 'field_distribution',
    ...boardHead(board),
    window,
    platform,
    operators,
    yield_: spreadOf(Float64Array.from(yields)),
    leverage: spreadOf(Float64Array.from(leverages)),
    velocity: spreadOf(Float64Array.from(velocities)),
    platforms: platformsOf(yieldsByPlatform),
  };
}

function add(yieldsByPlatform: Map<string, number[]>, { platform, yield_ }: BoardRow): void {
  const known = yieldsByPlatform.get(platform);
  if (known === undefined) yieldsByPlatform.set(platform, [yield_]);
  else known.push(yield_);
}

/** Yields are in board order, which is descending, so the middle one is the median. */
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
