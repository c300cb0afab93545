import * as z from 'zod';
import type { Window } from '../../../engine/contract/index.ts';
import type { BoardLine, BoardView } from '../../../engine/ranking/index.ts';
import { spreadOf } from '../analysis/quantiles.ts';
import { sampleRanges } from '../analysis/sample-ranges.ts';

/** A large group is looked at in this many places, this many operators each. */
const BLOCKS = 8;
const BLOCK_SIZE = 50;

/** Platforms a group names, most used first. */
const PLATFORMS_NAMED = 5;

const SpreadSchema = z.object({
  p10: z.number(),
  p25: z.number(),
  median: z.number(),
  p75: z.number(),
  p90: z.number(),
});

/** What a run of the board looks like. */
export const Group = z.object({
  operators: z.int().min(1).describe('Operators of the group.'),
  looked_at: z.int().min(1).describe('Number of operators read: all, or a sample at even distances.'),
  yield_: SpreadSchema,
  leverage: SpreadSchema,
  velocity: SpreadSchema,
  platforms: z
    .array(z.object({ platform: z.string(), operators: z.int().min(1) }))
    .max(PLATFORMS_NAMED)
    .describe('Platforms of the operators read, most used first.'),
});

export type Group = z.infer<typeof Group>;

interface GroupLines {
  readonly operators: number;
  readonly lines: readonly BoardLine[];
}

/** The lines that stand for the positions [start, end) of a window. */
export async function readGroup(board: BoardView, window: Window, start: number, end: number): Promise<GroupLines> {
  const ranges = sampleRanges(start, end, BLOCKS, BLOCK_SIZE);
  const read = await Promise.all(ranges.map(({ offset, limit }) => board.lines(window, offset, limit)));
  return { operators: end - start, lines: read.flat() };
}

/** What they look like; null when there are none. */
export function groupOf({ operators, lines }: GroupLines): Group | null {
  const yield_ = spreadOf(lines.map((line) => line.yield_));
  const leverage = spreadOf(lines.map((line) => line.leverage));
  const velocity = spreadOf(lines.map((line) => line.velocity));
  if (yield_ === null || leverage === null || velocity === null) return null;
  return { operators, looked_at: lines.length, yield_, leverage, velocity, platforms: platformsOf(lines) };
}

function platformsOf(lines: readonly BoardLine[]): Group['platforms'] {
  const users = new Map<string, number>();
  for (const { platform } of lines) users.set(platform, (users.get(platform) ?? 0) + 1);
  return Array.from(users, ([platform, operators]) => ({ platform, operators }))
    .toSorted((a, b) => b.operators - a.operators || (a.platform < b.platform ? -1 : 1))
    .slice(0, PLATFORMS_NAMED);
}
