import { expect } from 'chai';
import * as fc from 'fast-check';
import { changedCount, daysTo, tokensTo } from '../../../cli/src/coach/goals.ts';
import { yieldOf } from '../../../cli/src/views/usage-rows.ts';
import { type Counts, MAX_COUNT } from '../../../engine/contract/signing/index.ts';

const count = fc.integer({ min: 1, max: 2 ** 36 });
const counts: fc.Arbitrary<Counts> = fc.record({ input: count, output: count, cache_read: count, cache_write: count });
const target = fc.double({ min: 1e-3, max: 1e6, noNaN: true });

/** The Yield after so many days. */
function yieldAfter(days: number, totals: Counts, perDay: Counts): number {
  const after = (field: 'input' | 'output' | 'cache_read'): number => totals[field] + days * perDay[field];
  return (after('cache_read') * after('output')) / after('input') ** 2;
}

describe('what a goal takes', () => {
  it('is the least number of tokens with which the Yield reaches it', () => {
    fc.assert(
      fc.property(counts, target, fc.constantFrom('cache_read' as const, 'output' as const), (own, wanted, field) => {
        const more = tokensTo(wanted, own, field);
        const withMore = (tokens: number): number => yieldOf({ ...own, [field]: own[field] + tokens })!;
        if (more === null) return void expect(withMore(MAX_COUNT - own[field])).to.be.below(wanted);
        expect(withMore(more)).to.be.at.least(wanted);
        if (more > 0) expect(withMore(more - 1)).to.be.below(wanted);
      }),
      { numRuns: 500 },
    );
  });

  it('is the least number of days after which the Yield reaches it at a pace', () => {
    fc.assert(
      fc.property(counts, counts, target, (own, perDay, wanted) => {
        const days = daysTo(wanted, own, perDay);
        if (days === null) {
          for (const each of [0, 1, 10, 100, 1000, 3600]) {
            expect(yieldAfter(each, own, perDay)).to.be.below(wanted * (1 + 1e-9));
          }
          return;
        }
        expect(yieldAfter(days, own, perDay)).to.be.at.least(wanted * (1 - 1e-6));
        for (const share of [0.1, 0.5, 0.9]) {
          if (days > 0) expect(yieldAfter(days * share, own, perDay)).to.be.below(wanted);
        }
      }),
      { numRuns: 500 },
    );
  });

  it('does not exist without what the Yield is made of', () => {
    const own = { input: 10, output: 0, cache_read: 5, cache_write: 0 };
    expect(tokensTo(1, own, 'cache_read')).to.equal(null);
    expect(tokensTo(1, own, 'output')).to.equal(20);
    const nothing = { input: 0, output: 0, cache_read: 0, cache_write: 0 };
    expect(daysTo(1, { ...own, output: 1 }, nothing)).to.equal(null);
  });

  it('is asked for by counts and changes', () => {
    const changes = {
      '1.5M': 1_500_000,
      '+200k': 201_000,
      '-10%': 900,
      x2: 2000,
      '0': 0,
      '+1%': 1010,
      x0: 0,
      '-2k': -1000,
    };
    for (const [text, expected] of Object.entries(changes)) expect(changedCount(1000, text), text).to.equal(expected);
    for (const bad of ['', '10%', 'x2k', 'x', '1e3', '1,000', ' 1', '+-1']) {
      expect(changedCount(1000, bad), bad).to.equal(null);
    }
  });
});
