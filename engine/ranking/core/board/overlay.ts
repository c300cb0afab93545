import { WINDOW_COUNT } from './keys.ts';
import { type Layer, layerOf, mergeLayers, type WindowEdits } from './layer.ts';
import { indexOfOperator } from './search.ts';
import { isSameYield, makeSegment, mergeSegments, type Segment } from './segment.ts';
import { finish, type Steps } from './steps.ts';

/** How one window differs from its base: the edits of each layer, the lowest first. */
export type WindowOverlay = readonly WindowEdits[];

/**
 * The segments since a base, as one value. Never changed in place: a reader that waits for a page keeps a whole version
 * while newer ones are made.
 *
 * It lies in layers, each on those before it and several times smaller, so that a commit makes a small one anew, seldom a
 * larger one and hardly ever the largest; counts over layers add up.
 */
export interface Overlay {
  /** The lowest first. An operator may be in several of them, and what they do to it may come to nothing. */
  readonly layers: readonly Layer[];
  /** The layers' edits by window. */
  readonly windows: readonly WindowOverlay[];
  /** The operators that differ from the base in some window. */
  readonly size: number;
}

/** When layers become one. */
export interface LayerSizes {
  /** Operators that a layer has at least, unless it is the last. */
  readonly least: number;
  /** By how much a layer is larger than the next, at least. */
  readonly ratio: number;
}

/** In an overlay of a million a commit of 1,000 moves 11,000 operators on average, and a rank is looked up in five layers at most. */
const LAYER_SIZES: LayerSizes = { least: 4_096, ratio: 4 };

/** The overlay of a base on which nothing was committed. */
export const emptyOverlay: Overlay = overlayOf([], 0);

/**
 * The overlay after one more segment, which must be the next one, or a merge of the next ones: an Error
 * tells of one whose Yields before contradict the overlay.
 */
export function applySegment(overlay: Overlay, segment: Segment, sizes?: LayerSizes): Overlay {
  return finish(applySteps(overlay, segment, sizes));
}

/** The same in steps: where many layers become one, between their windows. */
export function* applySteps(overlay: Overlay, segment: Segment, sizes: LayerSizes = LAYER_SIZES): Steps<Overlay> {
  if (segment.operators.length === 0) return overlay;
  const size = overlay.size + growthBy(overlay.layers, segment);
  if (size === 0) return emptyOverlay;
  const layers = [...overlay.layers];
  let top = layerOf(segment);
  for (let below = layers.pop(); below !== undefined; below = layers.pop()) {
    if (operatorsIn(below) >= Math.max(sizes.least, sizes.ratio * operatorsIn(top))) {
      layers.push(below);
      break;
    }
    top = yield* mergeLayers(below, top);
  }
  if (operatorsIn(top) > 0) layers.push(top);
  return overlayOf(layers, size);
}

/** The present Yield of an operator in a window (NaN = unranked), or undefined where the overlay does not know it. */
export function currentYieldOf({ layers }: Overlay, operator: number, window: number): number | undefined {
  for (let index = layers.length - 1; index >= 0; index--) {
    const { operators, after } = layers[index]!.changes;
    const at = indexOfOperator(operators, operator);
    if (at >= 0) return after[at * WINDOW_COUNT + window]!;
  }
  return undefined;
}

/** The Yield of an operator in a window of the base (NaN = unranked), or undefined where the overlay does not know it. */
export function baseYieldOf({ layers }: Overlay, operator: number, window: number): number | undefined {
  for (const { changes } of layers) {
    const at = indexOfOperator(changes.operators, operator);
    if (at >= 0) return changes.before[at * WINDOW_COUNT + window]!;
  }
  return undefined;
}

/** The operators that differ from the base in some window, with their Yields there (`before`) and now (`after`). */
export function changesIn({ layers }: Overlay): Segment {
  const [first = makeSegment([]), ...others] = layers.map(({ changes }) => changes);
  return mergeSegments(first, ...others);
}

function overlayOf(layers: readonly Layer[], size: number): Overlay {
  const windows = Array.from({ length: WINDOW_COUNT }, (_, window) => layers.map((layer) => layer.windows[window]!));
  return { layers, windows, size };
}

function operatorsIn({ changes }: Layer): number {
  return changes.operators.length;
}

/** By how many operators more the board differs from its base after a segment. Throws as `applySegment` does. */
function growthBy(layers: readonly Layer[], { operators, before, after }: Segment): number {
  let growth = 0;
  for (let index = 0; index < operators.length; index++) {
    const at = index * WINDOW_COUNT;
    let base: Segment | undefined;
    let last: Segment | undefined;
    let atBase = 0;
    let atLast = 0;
    for (const { changes } of layers) {
      const found = indexOfOperator(changes.operators, operators[index]!) * WINDOW_COUNT;
      if (found < 0) continue;
      last = changes;
      atLast = found;
      if (base !== undefined) continue;
      base = changes;
      atBase = found;
    }
    if (base === undefined || last === undefined) {
      growth++;
      continue;
    }
    if (!areSameYields(before, at, last.after, atLast)) {
      throw new Error(`segment does not follow the overlay: operator ${operators[index]} had another Yield`);
    }
    if (!areSameYields(base.before, atBase, last.after, atLast)) growth--;
    if (!areSameYields(base.before, atBase, after, at)) growth++;
  }
  return growth;
}

/** Whether two operators have the same Yields in all windows. */
function areSameYields(a: Float64Array, atA: number, b: Float64Array, atB: number): boolean {
  for (let window = 0; window < WINDOW_COUNT; window++) {
    if (!isSameYield(a[atA + window]!, b[atB + window]!)) return false;
  }
  return true;
}
