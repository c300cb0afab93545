import { expect } from 'chai';
import * as fc from 'fast-check';
import { type Counts, MAX_COUNT } from '../../../../engine/contract/signing/index.ts';
import { cascadeString, percentileOf, scoreOf, tierOf, unrankedReason } from '../../../../engine/ranking/core/score.ts';
import { METHODOLOGIES, type Methodology } from '../../../../engine/ranking/methodologies/index.ts';

const methodology = METHODOLOGIES.get(1)!;
const demanding: Methodology = { ...methodology, eligibility: { ...methodology.eligibility, minimum_tokens: 1_000 } };

/** Maximum total of an operator: `MAX_COUNT` in each of 64 streams. */
const MAX_TOTAL = 64 * MAX_COUNT;
const MIN_FRACTION = 5e-324;

function counts(input: number, output: number, cache_read: number, cache_write = 0): Counts {
  return { input, output, cache_read, cache_write };
}

/** A number slightly below `value`. */
const below = (value: number): number => value * (1 - Number.EPSILON);

const cascade = (leverage: number, velocity: number) => cascadeString({ yield_: 1, leverage, velocity });

describe('scoreOf', () => {
  it('scores as the contract defines, in its order of operations', () => {
    expect(scoreOf(counts(10, 30, 500, 7), methodology)).to.deep.equal({ yield_: 150, leverage: 50, velocity: 3 });
    // Every other order of the same operations gives 37.88888888888889.
    expect(scoreOf(counts(3, 11, 31), methodology)?.yield_).to.equal(37.888888888888886);
  });

  it('returns null without input', () => {
    expect(scoreOf(counts(0, 0, 0), methodology)).to.equal(null);
    expect(scoreOf(counts(0, 5, 5), methodology)).to.equal(null);
    expect(scoreOf(counts(-0, 5, 5), methodology)).to.equal(null);
  });

  it('ranks input without cache reads or output at a Yield of 0', () => {
    expect(scoreOf(counts(5, 0, 0), methodology)).to.deep.equal({ yield_: 0, leverage: 0, velocity: 0 });
  });

  it('gives 0 and never −0', () => {
    const score = scoreOf(counts(5, -0, -0), methodology)!;
    for (const value of [score.yield_, score.leverage, score.velocity]) expect(Object.is(value, 0)).to.equal(true);
  });

  it('applies the minimum number of tokens to the sum of all four counts', () => {
    expect(scoreOf(counts(100, 200, 300, 399), demanding)).to.equal(null);
    expect(scoreOf(counts(100, 200, 300, 400), demanding)).to.not.equal(null);
  });

  it('applies the minimum share of input to the sum of all four counts', () => {
    const plausible: Methodology = {
      ...methodology,
      eligibility: { minimum_tokens: 0, minimum_input: 0, minimum_input_share: 0.25 },
    };
    expect(scoreOf(counts(249, 251, 300, 200), plausible)).to.equal(null);
    expect(scoreOf(counts(250, 250, 300, 200), plausible)).to.not.equal(null);
    expect(scoreOf(counts(250, 250, 300, 201), plausible)).to.equal(null);
  });

  it('scores maximum totals', () => {
    expect(scoreOf(counts(MAX_TOTAL, MAX_TOTAL, MAX_TOTAL), methodology)?.yield_).to.equal(1);
    expect(scoreOf(counts(1, MAX_TOTAL, MAX_TOTAL), methodology)?.yield_).to.equal(MAX_TOTAL * MAX_TOTAL);
    expect(scoreOf(counts(MAX_TOTAL, 1, 1), methodology)?.yield_).to.equal(1 / (MAX_TOTAL * MAX_TOTAL));
  });

  it('returns null when the square of the input underflows or the quotient overflows', () => {
    expect(scoreOf(counts(MIN_FRACTION, 1, 1), methodology)).to.equal(null);
    expect(scoreOf(counts(MIN_FRACTION, 0, 0), methodology)).to.equal(null);
    expect(scoreOf(counts(1e-150, MAX_TOTAL, MAX_TOTAL), methodology)).to.equal(null);
    // More than an operator can have, with a Yield of 0.
    expect(scoreOf(counts(1e-150, 0, 1e200), methodology)).to.equal(null);
    expect(scoreOf(counts(1e-150, 1e200, 0), methodology)).to.equal(null);
  });

  it('ranks a product that underflows at 0', () => {
    expect(scoreOf(counts(1, MIN_FRACTION, 0.1), methodology)?.yield_).to.equal(0);
  });

  it('has a reason when there is none, and only then', () => {
    const reason = (totals: Counts, under = methodology) => unrankedReason(totals, under);
    expect(reason(counts(0, 0, 0))).to.equal('no_tokens');
    expect(reason(counts(0, 5, 5))).to.equal('no_input');
    expect(reason(counts(0, 0, 0, 5))).to.equal('no_input');
    const strict = {
      ...methodology,
      eligibility: { minimum_tokens: 1_000, minimum_input: 0, minimum_input_share: 0.25 },
    };
    expect(reason(counts(900, 0, 0, 99), strict)).to.equal('too_few_tokens');
    expect(reason(counts(249, 251, 500), strict)).to.equal('input_share_too_small');
    expect(reason(counts(250, 250, 500), strict)).to.equal(null);
    expect(reason(counts(MIN_FRACTION, 1, 1))).to.equal('not_computable');
  });

  it('returns null or three finite numbers of at least 0 for any totals', () => {
    const total = fc.double({ min: 0, max: MAX_TOTAL, noNaN: true });
    fc.assert(
      fc.property(total, total, total, total, (input, output, cacheRead, cacheWrite) => {
        const totals = counts(input, output, cacheRead, cacheWrite);
        const score = scoreOf(totals, methodology);
        expect(unrankedReason(totals, methodology) === null).to.equal(score !== null);
        if (score === null) return;
        for (const value of Object.values(score)) {
          expect(Number.isFinite(value)).to.equal(true);
          expect(value).to.be.at.least(0);
        }
      }),
    );
  });
});

describe('tierOf', () => {
  it('starts each tier at its threshold', () => {
    const names = ['IGNITER', 'BEARER', 'REFINER', 'SEEKER', 'BASE', 'POWER', 'ARCH', 'ARCH+'];
    const thresholds = [0, 0.1, 1, 10, 100, 1_000, 10_000, 100_000];
    for (const [index, from] of thresholds.entries()) {
      expect(tierOf(from, methodology)).to.equal(names[index]);
      if (index > 0) expect(tierOf(below(from), methodology)).to.equal(names[index - 1]);
    }
    expect(tierOf(Number.MAX_VALUE, methodology)).to.equal('ARCH+');
  });

  it('throws for a Yield without a tier', () => {
    expect(() => tierOf(-1, methodology)).to.throw(RangeError);
    expect(() => tierOf(Number.NaN, methodology)).to.throw(RangeError);
  });
});

describe('cascadeString', () => {
  it('writes at most two decimals and no trailing zeros', () => {
    expect(cascade(12.5, 0.314)).to.equal('12.5:1:0.31');
    expect(cascade(100, 10)).to.equal('100:1:10');
    expect(cascade(0.001, 0)).to.equal('0:1:0');
    expect(cascade(1.999, 20.1)).to.equal('2:1:20.1');
  });

  it('uses an exponent from 1e21 on, so that it has at most 45 characters', () => {
    expect(cascade(1e21, 1e-9)).to.equal('1.00e21:1:0');
    expect(cascade(999_999_999_999_999_868_928, Number.MAX_VALUE)).to.equal('999999999999999868928:1:1.80e308');
    fc.assert(
      fc.property(fc.double({ min: 0, noNaN: true, noDefaultInfinity: true }), (value) => {
        const ratio = String.raw`(\d{1,21}(\.\d{0,1}[1-9])?|\d\.\d\de\d{2,3})`;
        expect(cascade(value, value))
          .to.match(new RegExp(`^${ratio}:1:${ratio}$`))
          .and.have.lengthOf.at.most(45);
      }),
    );
  });

  it('is null without a score', () => {
    expect(cascadeString(null)).to.equal(null);
  });
});

describe('percentileOf', () => {
  it('is the share of ranked operators at or below a rank', () => {
    expect(percentileOf(1, 1)).to.equal(100);
    expect(percentileOf(1, 3)).to.equal(100);
    expect(percentileOf(2, 3)).to.equal(66.67);
    expect(percentileOf(3, 3)).to.equal(33.33);
    expect(percentileOf(1_000_000, 1_000_000)).to.equal(0);
    expect(percentileOf(19_800, 20_000)).to.equal(1.01);
  });

  it('throws for ranks outside the board', () => {
    for (const [rank, total] of [
      [0, 3],
      [4, 3],
      [1, 0],
      [Number.NaN, 1],
    ] as const) {
      expect(() => percentileOf(rank, total)).to.throw(RangeError);
    }
  });
});
