import * as z from 'zod';
import type { Window } from '../../../engine/contract/index.ts';
import type { BoardLine, BoardView } from '../../../engine/ranking/index.ts';
import { sampleRanges, spreadOf } from '../analysis/samples.ts';

/** Blocks of operators that are read of a large group, and operators in each. */
const BLOCKS = 8;
const BLOCK_SIZE = 50;

/** Platforms that a group contains, most used first. */
const MAX_PLATFORMS = 5;

const Spread = z.object({ p10: z.number(), p25: z.number(), median: z.number(), p75: z.number(), p90: z.number() });

/** Statistics of a range of the board. */
export const Group = z.object({
  operators: z.int().min(1).describe('Operators of the group.'),
  looked_at: z.int().min(1).describe('Number of operators read: all, or a sample at even distances.'),
  yield_: Spread,
  leverage: Spread,
  velocity: Spread,
  platforms: z
    .array(z.object({ platform: z.string(), operators: z.int().min(1) }))
    .max(MAX_PLATFORMS)
    .describe('Platforms of the operators read, most used first.'),
});

export type Group = z.infer<typeof Group>;

/** Statistics of a group of `operators`, from some of its lines; null when there are none. */
export function groupOf(operators: number, lines: readonly BoardLine[]): Group | null {
  const [yield_ = null, leverage = null, velocity = null] = (['yield_', 'leverage', 'velocity'] as const).map((score) =>
    spreadOf(lines.map((line) => line[score])),
  );
  if (yield_ === null || leverage === null || velocity === null) return null;
  return { operators, looked_at: lines.length, yield_, leverage, velocity, platforms: platformsOf(lines) };
}

/** Statistics of the positions [start, end) of a window; a large group is sampled. */
export async function readGroup(board: BoardView, window: Window, start: number, end: number): Promise<Group | null> {
  const ranges = sampleRanges(start, end, BLOCKS, BLOCK_SIZE);
  const read = await Promise.all(ranges.map(({ offset, limit }) => board.rows(window, offset, limit)));
  return groupOf(end - start, read.flat());
}

export function mediansOf({ leverage, velocity }: Group) {
  return { leverage: leverage.median, velocity: velocity.median };
}

function platformsOf(lines: readonly BoardLine[]): Group['platforms'] {
  const users = new Map<string, number>();
  for (const { platform } of lines) users.set(platform, (users.get(platform) ?? 0) + 1);
  return Array.from(users, ([platform, operators]) => ({ platform, operators }))
    .toSorted((a, b) => b.operators - a.operators || (a.platform < b.platform ? -1 : 1))
    .slice(0, MAX_PLATFORMS);
}
