import type { Place } from '../net/public-board.ts';
import { grouped } from './screen.ts';

/** `rank 3 of 12`, `between rank 101 and 180 of 250`, `below rank 100 of 250`. */
export function placeText({ rank, below, worst, total_operators }: Place): string {
  const of = ` of ${grouped(total_operators)}`;
  if (rank !== null) return `rank ${grouped(rank)}${of}`;
  return worst < total_operators
    ? `between rank ${grouped(below + 1)} and ${grouped(worst)}${of}`
    : `below rank ${grouped(below)}${of}`;
}
