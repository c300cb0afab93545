import { expect } from 'chai';
import * as fc from 'fast-check';
import { spreadOf } from '../../../../api/premium/reports/spread.ts';

const values = fc.array(
  fc.oneof(fc.double({ min: 0, max: 1e9, noNaN: true }), fc.constantFrom(0, 1, 10, 1e-7, 1e300)),
  {
    minLength: 1,
    maxLength: 60,
  },
);

describe('premium: the spread of values', () => {
  it('is none of no values', () => expect(spreadOf(new Float64Array())).to.equal(null));

  it('is that of one value', () => {
    const spread = spreadOf(Float64Array.of(250));
    expect(spread).to.deep.include({ least: 250, greatest: 250, mean: 250 });
    expect(Object.values(spread!.quantiles)).to.deep.equal(Array.from({ length: 9 }, () => 250));
    expect(spread!.histogram).to.deep.equal([{ from: 100, below: 1_000, operators: 1 }]);
  });

  it('interpolates between values in order', () => {
    const spread = spreadOf(Float64Array.from({ length: 101 }, (_, index) => 100 - index));
    expect(spread!.quantiles).to.deep.equal({
      p01: 1,
      p05: 5,
      p10: 10,
      p25: 25,
      p50: 50,
      p75: 75,
      p90: 90,
      p95: 95,
      p99: 99,
    });
    expect(spreadOf(Float64Array.of(1, 2))!.quantiles.p50).to.equal(1.5);
  });

  it('has a bin for zeros, and none that is empty', () => {
    expect(spreadOf(Float64Array.of(0, 0.5, 0, 10, 9.99))!.histogram).to.deep.equal([
      { from: 0, below: 0.1, operators: 2 },
      { from: 0.1, below: 1, operators: 1 },
      { from: 1, below: 10, operators: 1 },
      { from: 10, below: 100, operators: 1 },
    ]);
    expect(spreadOf(Float64Array.of(0))!.histogram).to.deep.equal([{ from: 0, below: 1, operators: 1 }]);
  });

  it('stays finite at the end of what a double holds', () => {
    const { mean, histogram } = spreadOf(Float64Array.of(1.7e308, 1.7e308))!;
    expect(mean).to.equal(1.7e308);
    expect(histogram).to.deep.equal([{ from: 1e308, below: Number.MAX_VALUE, operators: 2 }]);
    expect(spreadOf(Float64Array.of(1.7e308, Number.MAX_VALUE))!.histogram).to.deep.equal([
      { from: 1e308, below: Number.MAX_VALUE, operators: 2 },
    ]);
  });

  it('counts every value once, in a bin that holds it, and quantiles rise', () => {
    fc.assert(
      fc.property(values, (given) => {
        const { histogram, quantiles, least, greatest } = spreadOf(Float64Array.from(given))!;
        expect(histogram.reduce((sum, { operators }) => sum + operators, 0)).to.equal(given.length);
        for (const { from, below, operators } of histogram) {
          expect(given.filter((value) => value >= from && value < below)).to.have.length(operators);
        }
        const rising = [least, ...Object.values(quantiles), greatest];
        for (const [index, value] of rising.entries()) expect(value).to.be.at.least(rising[index - 1] ?? 0);
      }),
    );
  });
});
