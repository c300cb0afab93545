import { expect } from 'chai';
import * as fc from 'fast-check';
import { explainChange, type PartCounts } from '../../../cli/src/coach/divisia.ts';
import { yieldOf } from '../../../cli/src/views/usage-rows.ts';
import { COUNT_FIELDS, type Counts } from '../../../engine/contract/signing/index.ts';

const TOLERANCE = 1e-9;

/** In place of zeros in the small-value strategy (Ang & Liu 2007). */
const SMALL = 1e-20;

const count = fc.oneof(fc.constant(0), fc.nat({ max: 1000 }), fc.nat({ max: 2 ** 45 }));
const counts: fc.Arbitrary<Counts> = fc.record({ input: count, output: count, cache_read: count, cache_write: count });
const parts: fc.Arbitrary<readonly PartCounts[]> = fc.array(
  fc.record({ key: fc.string(), before: counts, after: counts }),
  { minLength: 1, maxLength: 40 },
);

function sumOf(list: readonly Counts[]): Counts {
  const sum = { input: 0, output: 0, cache_read: 0, cache_write: 0 };
  for (const each of list) for (const field of COUNT_FIELDS) sum[field] += each[field];
  return sum;
}

/** The logarithmic mean as it is defined. */
function logMean(one: number, other: number): number {
  return one === other ? one : (one - other) / Math.log(one / other);
}

describe('contributions to a change of ln Yield', () => {
  it('add up to it, with zeros anywhere', () => {
    fc.assert(
      fc.property(parts, (list) => {
        const change = explainChange(list);
        const [before, after] = [sumOf(list.map((part) => part.before)), sumOf(list.map((part) => part.after))];
        const hasYields = [before, after].every(({ cache_read, output, input }) => cache_read * output * input > 0);
        expect(change !== null).to.equal(hasYields);
        if (change === null) return;
        const expected = Math.log(yieldOf(after)!) - Math.log(yieldOf(before)!);
        expect(change.total).to.be.closeTo(expected, TOLERANCE);
        for (const field of ['total', 'cache_read', 'output', 'input'] as const) {
          const sum = change.contributions.reduce((total, part) => total + part[field], 0);
          expect(sum, field).to.be.closeTo(change[field], TOLERANCE);
        }
      }),
      { numRuns: 1000 },
    );
  });

  it('are those of the method I of the log-mean Divisia index, whose small-value strategy has the same limit', () => {
    fc.assert(
      fc.property(parts, (list) => {
        const change = explainChange(list);
        if (change === null) return;
        const [before, after] = [change.before, change.after];
        for (const part of change.contributions) {
          for (const [field, exponent] of [
            ['cache_read', 1],
            ['output', 1],
            ['input', -2],
          ] as const) {
            const [then, now] = [part.before[field] || SMALL, part.after[field] || SMALL];
            const weight = logMean(now, then) / logMean(after[field], before[field]);
            const expected = exponent * weight * Math.log(now / then);
            // Where a sum hardly changes, the definition itself loses digits to cancellation.
            if (Math.abs(after[field] / before[field] - 1) < 1e-6 || Math.abs(now / then - 1) < 1e-6) continue;
            expect(part[field]).to.be.closeTo(expected, 1e-6 * Math.max(1, Math.abs(expected)));
          }
        }
      }),
    );
  });

  it('keep their digits where sums hardly change', () => {
    const same = { input: 2 ** 50, output: 2 ** 50, cache_read: 2 ** 50, cache_write: 0 };
    const [change] = [explainChange([{ key: 'a', before: same, after: { ...same, output: 2 ** 50 + 1 } }])!];
    expect(change.total).to.be.closeTo(2 ** -50, 2 ** -90);
    expect(explainChange([{ key: 'a', before: same, after: same }])!.total).to.equal(0);
  });
});
