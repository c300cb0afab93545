import { expect } from 'chai';
import * as fc from 'fast-check';
import { scaleOf } from '../../../../api/site/charts/scale.ts';
import { plainText } from '../../../../api/site/render/inline.ts';
import { movement, readable } from '../../../../api/site/render/numbers.ts';

describe('site: numbers', () => {
  for (const [value, words] of [
    [0, '0'],
    [1, '1'],
    [3490.4881, '3,490.49'],
    [20.9, '20.90'],
    [0.0042, '0.0042'],
    [123_456.7, '123,457'],
    [1.25e12, '1.25 × 10¹²'],
    [2e300, '2 × 10³⁰⁰'],
    [5e-9, '5 × 10⁻⁹'],
  ] as const) {
    it(`writes ${value} as ${words}`, () => expect(readable(value)).to.equal(words));
  }

  it('tells movement by shape and by words', () => {
    expect(movement(3)).to.deep.equal([{ kind: 'mark', className: 'up', shown: '▲ 3', said: 'up 3' }]);
    expect(plainText(movement(-1200))).to.equal('down 1,200');
    expect(plainText(movement(0))).to.equal('unchanged');
    expect(plainText(movement(null))).to.equal('not ranked then');
  });
});

describe('site: scales', () => {
  it('keep every value between the ends, with ticks in order', () => {
    const values = fc.array(fc.double({ min: 0, max: Number.MAX_VALUE, noNaN: true }), { minLength: 1, maxLength: 20 });
    fc.assert(
      fc.property(values, (given) => {
        const scale = scaleOf(given, 0, 100);
        const { ticks } = scale;
        for (const value of given) expect(scale.place(value)).to.be.within(-1e-6, 100 + 1e-6);
        expect(ticks.length).to.be.within(1, 12);
        expect(ticks.every(Number.isFinite)).to.equal(true);
        expect(ticks).to.deep.equal(ticks.toSorted((a, b) => a - b));
      }),
    );
  });

  it('are logarithmic where values are far apart, and linear where they are not', () => {
    expect(scaleOf([1, 10_000], 0, 100).place(100)).to.be.closeTo(50, 1e-9);
    expect(scaleOf([10, 20], 0, 100).place(15)).to.be.closeTo(50, 1e-9);
  });
});
