import { cutSegment } from './cut-segment.ts';
import { applySteps, type Delta, type LevelSizes } from './delta.ts';
import { mergeSegments, type Segment } from './segment.ts';
import type { Steps } from './steps.ts';

/**
 * Operators applied by one step, or merged between two. A step takes some ten milliseconds on an overlay of up to 100,000
 * operators, now and then 50; in one of two million, to merge its largest layers or segments, now and then a tenth of a second.
 */
const OPERATORS_A_STEP = 16_384;

/**
 * The overlay after segments that follow it, given in the order they were committed; in steps, for a board that was
 * long not sorted anew has much of its field in them. They are merged first: one after the other, those of hundreds of
 * commits would cost several times as much.
 */
export function* followSegments(
  delta: Delta,
  segments: readonly Segment[],
  operatorsAStep: number = OPERATORS_A_STEP,
  sizes?: LevelSizes,
): Steps<Delta> {
  const merged = yield* mergeInSteps(segments, operatorsAStep);
  if (merged === undefined) return delta;
  let followed = delta;
  for (const part of cutSegment(merged, operatorsAStep)) {
    if (followed !== delta) yield;
    followed = yield* applySteps(followed, copyOf(part), sizes);
  }
  return followed;
}

/** A segment in memory of its own: a layer keeps it, and a part would keep all that was merged with it. */
function copyOf({ operators, before, after }: Segment): Segment {
  return { operators: operators.slice(), before: before.slice(), after: after.slice() };
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
