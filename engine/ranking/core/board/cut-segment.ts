import { WINDOW_COUNT } from './keys.ts';
import type { Segment } from './segment.ts';

/** Splits a segment into parts of at most `maxOperators` operators, in order. The parts share its memory. */
export function* cutSegment(
  { operators, before, after }: Segment,
  maxOperators: number,
): Generator<Segment, void, undefined> {
  for (let from = 0; from < operators.length; from += maxOperators) {
    const to = Math.min(from + maxOperators, operators.length);
    yield {
      operators: operators.subarray(from, to),
      before: before.subarray(from * WINDOW_COUNT, to * WINDOW_COUNT),
      after: after.subarray(from * WINDOW_COUNT, to * WINDOW_COUNT),
    };
  }
}
