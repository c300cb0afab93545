import type { BoardEntry, BoardLine } from '../../../engine/ranking/index.ts';
import { showMovement, showNumber } from './numbers.ts';

type Scores = Pick<BoardLine, 'yield_' | 'leverage' | 'velocity'>;

/** `Yield 90 (Leverage 30, Velocity 3)`. */
export function showScores({ yield_, leverage, velocity }: Scores): string {
  return `Yield ${showNumber(yield_)} (Leverage ${showNumber(leverage)}, Velocity ${showNumber(velocity)})`;
}

/**
 * An entry on one line. Display names are left out: their owners write them as they like, and what is read by a model
 * should carry nobody's words.
 */
export function showLine(line: BoardLine): string {
  return `#${line.rank} ${line.codename}: ${showScores(line)}, ${line.class_tier}, ${line.platform}`;
}

/** The same with the places climbed. */
export function showEntry(entry: BoardEntry): string {
  const { movement_24h, movement_7d } = entry;
  return `${showLine(entry)}; 24 h ${showMovement(movement_24h)}, 7 d ${showMovement(movement_7d)}`;
}

/** Paragraphs and lists as one text. */
export function joinLines(...lines: ReadonlyArray<string | null>): string {
  return lines.filter((line) => line !== null).join('\n');
}
