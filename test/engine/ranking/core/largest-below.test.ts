import { expect } from 'chai';
import * as fc from 'fast-check';
import { largestBelow } from '../../../../engine/ranking/core/largest-below.ts';

describe('largestBelow', () => {
  it('returns the adjacent double', () => {
    const positive = fc.double({ min: Number.MIN_VALUE, max: Number.MAX_VALUE, noNaN: true });
    fc.assert(
      fc.property(positive, (value) => {
        const below = largestBelow(value);
        expect(below).to.be.below(value);
        const middle = below + (value - below) / 2;
        expect(middle === below || middle === value).to.equal(true);
      }),
    );
  });

  it('handles the ends of the range', () => {
    expect(largestBelow(Number.MIN_VALUE)).to.equal(0);
    expect(largestBelow(1)).to.equal(1 - Number.EPSILON / 2);
    for (const value of [0, -1, Number.NaN, Number.POSITIVE_INFINITY]) {
      expect(() => largestBelow(value)).to.throw(RangeError);
    }
  });
});
