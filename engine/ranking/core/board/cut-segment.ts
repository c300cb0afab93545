import { WINDOW_COUNT } from './keys.ts';
import type { Segment } from './segment.ts';

/** A segment in parts of at most `most` operators each, in their order. The parts share its memory. */
export function* cutSegment({ operators, before, after }: Segment, most: number): Generator<Segment, void, undefined> {
  for (let from = 0; from < operators.length; from += most) {
    const to = Math.min(from + most, operators.length);
    yield {
      operators: operators.subarray(from, to),
      before: before.subarray(from * WINDOW_COUNT, to * WINDOW_COUNT),
      after: after.subarray(from * WINDOW_COUNT, to * WINDOW_COUNT),
    };
  }
}
