import { expect } from 'chai';
import * as fc from 'fast-check';
import {
  applySegment,
  baseYieldOf,
  currentYieldOf,
  type Delta,
  emptyDelta,
  followSegments,
  type LevelSizes,
  makeSegment,
  type Segment,
  WINDOW_COUNT,
} from '../../../../../engine/ranking/core/board/index.ts';
import { aHistory, levelSizes } from './arbitraries.ts';
import { BoardInMemory } from './board-in-memory.ts';
import { wholeOf } from './whole-overlay.ts';

/** Layers that are never merged. */
const APART: LevelSizes = { least: 0, ratio: 0 };

function inSteps(start: Delta, segments: readonly Segment[], operatorsAStep: number, levels?: LevelSizes) {
  const following = followSegments(start, segments, operatorsAStep, levels);
  for (let steps = 1; ; steps++) {
    const { done, value } = following.next();
    if (done === true) return { delta: value, steps };
  }
}

/** The segments of all commits of a history, as if none of its compactions had been. */
function segmentsOf(history: ReadonlyArray<Parameters<BoardInMemory['commit']>[0] | null>): readonly Segment[] {
  const board = new BoardInMemory({ orderPageEntries: 7, operatorPageSlots: 16 });
  for (const commit of history) if (commit !== null) board.commit(commit);
  return board.segments;
}

/** The overlays after none, one, two … of the segments, each made of the one before. */
function oneByOne(segments: readonly Segment[], levels: LevelSizes): readonly Delta[] {
  const deltas = [emptyDelta];
  for (const segment of segments) deltas.push(applySegment(deltas.at(-1)!, segment, levels));
  return deltas;
}

/** A commit that takes operators from a Yield to the next whole one in every window. */
function rise(operators: readonly number[], from: number): Segment {
  const before = Array.from({ length: WINDOW_COUNT }, () => from);
  const after = before.map((y) => y + 1);
  return makeSegment(operators.map((operator) => ({ operator, before, after })));
}

/** Four commits of four operators each, none of them the same. */
const FOUR_RISES = [0, 4, 8, 12].map((first) => rise([first, first + 1, first + 2, first + 3], 0));

describe('followSegments', () => {
  it('comes to what segments applied one by one come to, from any of them on and in steps of any size', () => {
    let fromLevels = 0;
    const steps = fc.integer({ min: 1, max: 6 });
    fc.assert(
      fc.property(aHistory, fc.nat(), steps, levelSizes, (history, pick, operatorsAStep, levels) => {
        const segments = segmentsOf(history);
        const deltas = oneByOne(segments, levels);
        const from = pick % deltas.length;
        const start = deltas[from]!;
        if (from < segments.length && start.levels.length > 1) fromLevels++;
        const { delta } = inSteps(start, segments.slice(from), operatorsAStep, levels);
        const [followed, applied] = [wholeOf(delta), wholeOf(deltas.at(-1)!)];
        expect(followed).to.deep.equal(applied);
        const { operators, before, after } = followed.changes;
        for (const [index, operator] of operators.entries()) {
          for (let window = 0; window < WINDOW_COUNT; window++) {
            const at = index * WINDOW_COUNT + window;
            expect(baseYieldOf(delta, operator, window)).to.deep.equal(before[at]);
            expect(currentYieldOf(delta, operator, window)).to.deep.equal(after[at]);
          }
        }
      }),
      { numRuns: 300 },
    );
    expect(fromLevels, 'starts from several layers').to.be.greaterThan(30);
  });

  it('gives the overlay back when nothing follows', () => {
    expect(inSteps(emptyDelta, [], 1)).to.deep.equal({ delta: emptyDelta, steps: 1 });
  });

  it('takes one step for a commit, and several for many', () => {
    expect(inSteps(emptyDelta, [rise([1, 2, 3, 4], 0)], 4).steps).to.equal(1);
    expect(inSteps(emptyDelta, FOUR_RISES, 4).steps).to.be.greaterThan(4);
  });

  it('can be left between the windows of layers that become one', () => {
    const start = applySegment(emptyDelta, rise([1, 2, 3, 4], 0));
    expect(inSteps(start, [rise([4, 5, 6, 7], 1)], 4).steps).to.equal(1 + WINDOW_COUNT);
  });

  it('keeps no more in memory than the layers take', () => {
    const { levels } = inSteps(emptyDelta, FOUR_RISES, 4, APART).delta;
    expect(levels).to.have.lengthOf(4);
    for (const { changes } of levels) {
      for (const list of [changes.operators, changes.before, changes.after]) {
        expect(list.buffer.byteLength).to.equal(list.byteLength);
      }
    }
  });

  it('refuses segments that do not follow the overlay', () => {
    const delta = applySegment(emptyDelta, rise([1], 1));
    expect(() => inSteps(delta, [rise([1], 3)], 1)).to.throw('operator 1 had another Yield');
  });
});
