import type { Cooperative } from './cooperative.ts';
import { cutSegment } from './cut-segment.ts';
import { applySegmentCooperatively, type Delta, type LevelSizes } from './delta.ts';
import { mergeSegments, type Segment } from './segment.ts';

/**
 * Operators applied, or merged, per step. Measured: about 10 ms on a delta of up to 100,000 operators, occasionally 50 ms; on
 * one of two million occasionally 100 ms, when the largest levels or segments are merged.
 */
const OPERATORS_PER_STEP = 16_384;

/**
 * The delta after the next segments, in commit order. Cooperative: without a recent compaction they contain much of the
 * population. Segments are merged first: applying those of hundreds of commits one by one costs several times as much.
 */
export function* applySegments(
  delta: Delta,
  segments: readonly Segment[],
  operatorsPerStep: number = OPERATORS_PER_STEP,
  sizes?: LevelSizes,
): Cooperative<Delta> {
  const merged = yield* mergeCooperatively(segments, operatorsPerStep);
  if (merged === undefined) return delta;
  let result = delta;
  for (const part of cutSegment(merged, operatorsPerStep)) {
    if (result !== delta) yield;
    result = yield* applySegmentCooperatively(result, copyOf(part), sizes);
  }
  return result;
}

/** A copy that shares no memory: a level that kept a part would keep the whole merged segment in memory. */
function copyOf({ operators, before, after }: Segment): Segment {
  return { operators: operators.slice(), before: before.slice(), after: after.slice() };
}

/** Merges segments pairwise in rounds; undefined without segments. */
function* mergeCooperatively(segments: readonly Segment[], operatorsPerStep: number): Cooperative<Segment | undefined> {
  let operators = 0;
  let round = segments;
  while (round.length > 1) {
    const next: Segment[] = [];
    for (let at = 0; at < round.length; at += 2) {
      const merged = mergeSegments(round[at]!, ...round.slice(at + 1, at + 2));
      next.push(merged);
      operators += merged.operators.length;
      if (operators < operatorsPerStep) continue;
      yield;
      operators = 0;
    }
    round = next;
  }
  return round[0];
}
