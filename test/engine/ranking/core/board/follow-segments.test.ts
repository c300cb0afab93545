import { expect } from 'chai';
import * as fc from 'fast-check';
import { followSegments } from '../../../../../engine/ranking/core/board/follow-segments.ts';
import {
  applySegment,
  currentYieldOf,
  emptyOverlay,
  makeSegment,
  type Overlay,
  rankedCount,
  rankIn,
  type Segment,
  WINDOW_COUNT,
} from '../../../../../engine/ranking/core/board/index.ts';
import { aHistory } from './arbitraries.ts';
import { BoardInMemory } from './board-in-memory.ts';

/** More than the operators of any history, and a Yield of each of them is asked for. */
const OPERATORS = Array.from({ length: 50 }, (_, operator) => operator);
/** More entries than any removes, so that no count falls below nought. */
const ENTRIES = 100;

function inSteps(start: Overlay, segments: readonly Segment[], operatorsAStep: number) {
  const following = followSegments(start, segments, operatorsAStep);
  for (let steps = 1; ; steps++) {
    const { done, value } = following.next();
    if (done === true) return { overlay: value, steps };
  }
}

/** What an overlay answers, however it lies in memory. */
function answersOf(overlay: Overlay) {
  const windows = Array.from({ length: WINDOW_COUNT }, (_, window) => {
    const yields = OPERATORS.map((operator) => currentYieldOf(overlay, operator, window));
    const edits = overlay.windows[window]!;
    const ranks = yields.map((y) => (y === undefined ? null : rankIn(ENTRIES, edits, y)));
    return { yields, ranks, ranked: rankedCount(ENTRIES, edits) };
  });
  return { size: overlay.size, windows };
}

/** The segments of a history after its last compaction. */
function segmentsOf(history: ReadonlyArray<Parameters<BoardInMemory['commit']>[0] | null>): readonly Segment[] {
  const board = new BoardInMemory({ orderPageEntries: 7, operatorPageSlots: 16 });
  for (const commit of history) if (commit !== null) board.commit(commit);
  return board.segments;
}

/** The overlays after none, one, two … of the segments, each made of the one before. */
function oneByOne(segments: readonly Segment[]): readonly Overlay[] {
  const overlays = [emptyOverlay];
  for (const segment of segments) overlays.push(applySegment(overlays.at(-1)!, segment));
  return overlays;
}

/** A commit that takes operators from a Yield to the next whole one in every window. */
function rise(operators: readonly number[], from: number): Segment {
  const before = Array.from({ length: WINDOW_COUNT }, () => from);
  const after = before.map((y) => y + 1);
  return makeSegment(operators.map((operator) => ({ operator, before, after })));
}

describe('followSegments', () => {
  it('comes to what segments applied one by one come to, from any of them on and in steps of any size', () => {
    fc.assert(
      fc.property(aHistory, fc.nat(), fc.integer({ min: 1, max: 6 }), (history, pick, operatorsAStep) => {
        const segments = segmentsOf(history);
        const overlays = oneByOne(segments);
        const from = pick % overlays.length;
        const { overlay } = inSteps(overlays[from]!, segments.slice(from), operatorsAStep);
        const [followed, applied] = [answersOf(overlay), answersOf(overlays.at(-1)!)];
        expect(followed.size).to.equal(applied.size);
        for (const [window, { ranked, yields, ranks }] of followed.windows.entries()) {
          const expected = applied.windows[window]!;
          expect(ranked).to.equal(expected.ranked);
          // Whoever is back at the base's Yield may be known to one of them and not to the other.
          for (const operator of OPERATORS) {
            const [one, other] = [yields[operator], expected.yields[operator]];
            if (one === undefined || other === undefined) continue;
            expect(one).to.deep.equal(other);
            expect(ranks[operator]).to.equal(expected.ranks[operator]);
          }
        }
      }),
      { numRuns: 300 },
    );
  });

  it('gives the overlay back when nothing follows', () => {
    expect(inSteps(emptyOverlay, [], 1)).to.deep.equal({ overlay: emptyOverlay, steps: 1 });
  });

  it('takes one step for a commit, and several for many', () => {
    expect(inSteps(emptyOverlay, [rise([1, 2, 3, 4], 0)], 4).steps).to.equal(1);
    expect(
      inSteps(
        emptyOverlay,
        [0, 4, 8, 12].map((from) => rise([from, from + 1, from + 2, from + 3], 0)),
        4,
      ).steps,
    ).to.be.greaterThan(4);
  });

  it('refuses segments that do not follow the overlay', () => {
    const overlay = applySegment(emptyOverlay, rise([1], 1));
    expect(() => inSteps(overlay, [rise([1], 3)], 1)).to.throw('operator 1 had another Yield');
  });
});
