import { expect } from 'chai';
import {
  applySegment,
  baseYieldOf,
  currentYieldOf,
  emptyDelta,
  makeSegment,
  WINDOW_COUNT,
} from '../../../../../../engine/ranking/core/board/index.ts';

const yields = (value: number) => Array.from({ length: WINDOW_COUNT }, () => value);

const change = (operator: number, before: number, after: number) => ({
  operator,
  before: yields(before),
  after: yields(after),
});

describe('a delta', () => {
  it('has the first and the present Yield of an operator that changed, and none of others', () => {
    // Too small to be merged with the level below it.
    const sizes = { minOperators: 1, ratio: 1 };
    const first = applySegment(emptyDelta, makeSegment([change(1, 5, 6), change(2, 50, 60)]), sizes);
    const delta = applySegment(first, makeSegment([change(1, 6, 7)]), sizes);
    expect(delta.levels).to.have.length(2);
    for (let window = 0; window < WINDOW_COUNT; window++) {
      expect([1, 2, 3].map((operator) => baseYieldOf(delta, operator, window))).to.deep.equal([5, 50, undefined]);
      expect([1, 2, 3].map((operator) => currentYieldOf(delta, operator, window))).to.deep.equal([7, 60, undefined]);
    }
  });

  it('takes no segment that begins with other Yields than it has', () => {
    const delta = applySegment(emptyDelta, makeSegment([change(1, 5, 6)]));
    expect(() => applySegment(delta, makeSegment([change(1, 5, 7)]))).to.throw('does not follow');
  });
});
