import { expect } from 'chai';
import {
  applySegment,
  baseYieldOf,
  changesIn,
  currentYieldOf,
  emptyDelta,
  isSameYield,
  makeSegment,
  mergeSegments,
  type Segment,
  WINDOW_COUNT,
} from '../../../../../engine/ranking/core/board/index.ts';

const NONE = Number.NaN;

/** A change of window 0 alone. */
function change(operator: number, before: number, after: number) {
  const others = Array.from({ length: WINDOW_COUNT - 1 }, () => NONE);
  return { operator, before: [before, ...others], after: [after, ...others] };
}

function inWindow0(segment: Segment): Array<[operator: number, before: number, after: number]> {
  const { before, after } = segment;
  return Array.from(segment.operators, (operator, at) => [
    operator,
    before[WINDOW_COUNT * at]!,
    after[WINDOW_COUNT * at]!,
  ]);
}

describe('makeSegment', () => {
  it('orders changes by operator and omits those without a difference', () => {
    const segment = makeSegment([change(9, 1, 2), change(3, NONE, 0), change(5, 4, 4), change(6, NONE, NONE)]);
    expect(inWindow0(segment)).to.deep.equal([
      [3, NONE, 0],
      [9, 1, 2],
    ]);
    expect(segment.before.length).to.equal(2 * WINDOW_COUNT);
  });

  it('keeps a change of any window', () => {
    const before = Array.from({ length: WINDOW_COUNT }, (_, window) => window);
    for (let window = 0; window < WINDOW_COUNT; window++) {
      expect(makeSegment([{ operator: 1, before, after: before.with(window, NONE) }]).operators.length).to.equal(1);
    }
  });

  it('maps −0 to 0', () => {
    expect(makeSegment([change(1, 0, -0)]).operators.length).to.equal(0);
    expect(Object.is(makeSegment([change(1, 1, -0)]).after[0], 0)).to.equal(true);
  });

  it('throws for a duplicate operator', () => {
    expect(() => makeSegment([change(1, 0, 1), change(1, 1, 2)])).to.throw(RangeError, 'operator 1');
  });
});

describe('mergeSegments', () => {
  it('keeps the first Yields before and the last after', () => {
    const merged = mergeSegments(
      makeSegment([change(1, 0, 1), change(2, 5, 6)]),
      makeSegment([change(1, 1, 2)]),
      makeSegment([change(1, 2, 3), change(4, NONE, 8)]),
    );
    expect(inWindow0(merged)).to.deep.equal([
      [1, 0, 3],
      [2, 5, 6],
      [4, NONE, 8],
    ]);
  });

  it('omits operators that return to their first Yields', () => {
    const merged = mergeSegments(makeSegment([change(1, 0, 1), change(2, 0, 1)]), makeSegment([change(1, 1, 0)]));
    expect(inWindow0(merged)).to.deep.equal([[2, 0, 1]]);
  });

  it('keeps the first Yields of an operator that returns to them and changes again', () => {
    const there = makeSegment([change(1, 0, 1)]);
    const back = makeSegment([change(1, 1, 0)]);
    const on = makeSegment([change(1, 0, 7)]);
    expect(inWindow0(mergeSegments(there, back, on))).to.deep.equal([[1, 0, 7]]);
    expect(inWindow0(mergeSegments(there, back, on, there))).to.deep.equal([[1, 0, 1]]);
  });

  it('returns a single segment itself', () => {
    const segment = makeSegment([change(1, 0, 1)]);
    expect(mergeSegments(segment)).to.equal(segment);
  });
});

describe('applySegment', () => {
  it('throws for a segment that does not follow', () => {
    const delta = applySegment(emptyDelta, makeSegment([change(1, 0, 1)]));
    expect(() => applySegment(delta, makeSegment([change(1, 0, 1)]))).to.throw('does not follow');
    expect(() => applySegment(delta, makeSegment([change(1, 2, 3)]))).to.throw('does not follow');
    expect(inWindow0(changesIn(applySegment(delta, makeSegment([change(1, 1, 3)]))))).to.deep.equal([[1, 0, 3]]);
  });

  it('has the current Yield of exactly the operators that differ from the base run', () => {
    const first = applySegment(emptyDelta, makeSegment([change(1, 0, 1), change(2, 3, NONE)]));
    expect(currentYieldOf(first, 1, 0)).to.equal(1);
    expect(currentYieldOf(first, 2, 0)).to.deep.equal(NONE);
    expect(currentYieldOf(first, 3, 0)).to.equal(undefined);
    expect(currentYieldOf(applySegment(first, makeSegment([change(1, 1, 0)])), 1, 0)).to.equal(undefined);
  });

  it('returns the delta itself for a segment without changes', () => {
    expect(applySegment(emptyDelta, makeSegment([]))).to.equal(emptyDelta);
  });
});

describe('baseYieldOf', () => {
  it('returns the Yield below the lowest level with the operator, and undefined without one', () => {
    const neverMerged = { minOperators: 0, ratio: 0 };
    let delta = applySegment(emptyDelta, makeSegment([change(1, 3, 4), change(2, NONE, 5)]), neverMerged);
    delta = applySegment(delta, makeSegment([change(1, 4, 6), change(3, 8, NONE)]), neverMerged);
    delta = applySegment(delta, makeSegment([change(1, 6, 7), change(2, 5, 9)]), neverMerged);
    expect(delta.levels).to.have.lengthOf(3);
    expect([1, 2, 3, 4].map((operator) => baseYieldOf(delta, operator, 0))).to.deep.equal([3, NONE, 8, undefined]);
    expect(currentYieldOf(delta, 1, 0)).to.equal(7);
  });
});

describe('isSameYield', () => {
  it('equates unranked with unranked only', () => {
    expect(isSameYield(NONE, NONE)).to.equal(true);
    expect(isSameYield(NONE, 0)).to.equal(false);
    expect(isSameYield(0, NONE)).to.equal(false);
    expect(isSameYield(1, 1)).to.equal(true);
  });
});
