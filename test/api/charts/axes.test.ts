import { expect } from 'chai';
import * as fc from 'fast-check';
import { scaleOf, timeTicks } from '../../../api/charts/axes.ts';
import { DAY_MS, HOUR_MS } from '../../../config/units.ts';

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

const NOON = Date.UTC(2026, 4, 4, 12);

describe('site: ticks of a time axis', () => {
  it('are a few, in order, between the ends, whatever the span', () => {
    const spans = fc.record({ from: fc.nat(2e12), span: fc.integer({ min: 1, max: 400 * DAY_MS }) });
    fc.assert(
      fc.property(spans, ({ from, span }) => {
        const moments = timeTicks(from, from + span).map(({ at }) => at);
        expect(moments.length).to.be.within(2, 5);
        expect(moments).to.deep.equal(moments.toSorted((a, b) => a - b));
        for (const at of moments) expect(at).to.be.within(from, from + span);
      }),
    );
  });

  it('are called by the hour within a day, and by the day beyond', () => {
    expect(timeTicks(NOON, NOON + 4 * HOUR_MS).map(({ label }) => label)).to.deep.equal([
      '12:00',
      '13:00',
      '14:00',
      '15:00',
      '16:00',
    ]);
    expect(timeTicks(NOON, NOON + 3 * DAY_MS).map(({ label }) => label)).to.deep.equal(['5 May', '6 May', '7 May']);
  });
});
