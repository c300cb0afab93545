import { expect } from 'chai';
import {
  applySegment,
  baseYieldOf,
  currentYieldOf,
  emptyDelta,
  makeSegment,
  WINDOW_COUNT,
} from '../../../../../engine/ranking/core/board/index.ts';

const NONE = Number.NaN;

/** A change of window 0 alone. */
function change(operator: number, before: number, after: number) {
  const others = Array.from({ length: WINDOW_COUNT - 1 }, () => NONE);
  return { operator, before: [before, ...others], after: [after, ...others] };
}

describe('makeSegment', () => {
  it('maps −0 to 0', () => {
    expect(makeSegment([change(1, 0, -0)]).operators.length).to.equal(0);
    expect(Object.is(makeSegment([change(1, 1, -0)]).after[0], 0)).to.equal(true);
  });

  it('throws for a duplicate operator', () => {
    expect(() => makeSegment([change(1, 0, 1), change(1, 1, 2)])).to.throw(RangeError, 'operator 1');
  });
});

describe('applySegment', () => {
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
