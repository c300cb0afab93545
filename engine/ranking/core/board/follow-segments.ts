import { cutSegment } from './cut-segment.ts';
import { applySegment, type Overlay } from './overlay.ts';
import { mergeSegments, type Segment } from './segment.ts';
import type { Steps } from './steps.ts';

/** Operators applied by one step, or merged between two: either takes about ten milliseconds. */
const OPERATORS_A_STEP = 16_384;

/**
 * The overlay after segments that follow it, given in the order they were committed; in steps, for a board that was
 * long not sorted anew has much of its field in them. They are merged first: one after the other, those of hundreds of
 * commits would cost several times as much.
 */
export function* followSegments(
  overlay: Overlay,
  segments: readonly Segment[],
  operatorsAStep: number = OPERATORS_A_STEP,
): Steps<Overlay> {
  const merged = yield* mergeInSteps(segments, operatorsAStep);
  if (merged === undefined) return overlay;
  let followed = overlay;
  for (const part of cutSegment(merged, operatorsAStep)) {
    if (followed !== overlay) yield;
    followed = applySegment(followed, part);
  }
  return followed;
}

/** Segments as one, neighbours first; undefined of none. */
function* mergeInSteps(segments: readonly Segment[], operatorsAStep: number): Steps<Segment | undefined> {
  let operators = 0;
  let round = segments;
  while (round.length > 1) {
    const next: Segment[] = [];
    for (let at = 0; at < round.length; at += 2) {
      const merged = mergeSegments(round[at]!, ...round.slice(at + 1, at + 2));
      next.push(merged);
      operators += merged.operators.length;
      if (operators < operatorsAStep) continue;
      yield;
      operators = 0;
    }
    round = next;
  }
  return round[0];
}
