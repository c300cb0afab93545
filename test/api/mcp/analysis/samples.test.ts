import { expect } from 'chai';
import * as fc from 'fast-check';
import { defaultTier } from '../../../../api/mcp/analysis/default-tier.ts';
import { sampleRanges, spreadOf } from '../../../../api/mcp/analysis/samples.ts';

describe('quantiles', () => {
  it('lie between values', () => {
    expect(spreadOf([])).to.equal(null);
    expect(spreadOf([4])).to.deep.equal({ p10: 4, p25: 4, median: 4, p75: 4, p90: 4 });
    expect(spreadOf([3, 1, 2, 5, 4])).to.deep.equal({ p10: 1.4, p25: 2, median: 3, p75: 4, p90: 4.6 });
    expect(spreadOf([1, 2])).to.include({ median: 1.5 });
  });

  it('ascend and stay within the values', () => {
    const values = fc.array(fc.double({ min: 0, max: 1e12, noNaN: true }), { minLength: 1 });
    fc.assert(
      fc.property(values, (given) => {
        const spread = spreadOf(given)!;
        const inOrder = [Math.min(...given), ...Object.values(spread), Math.max(...given)];
        for (const [index, value] of inOrder.slice(1).entries()) {
          expect(value).to.be.at.least(inOrder[index]! * (1 - 1e-12));
        }
      }),
    );
  });
});

describe('sampled ranges', () => {
  it('are the whole of a small group, and even blocks of a large one', () => {
    expect(sampleRanges(5, 5, 3, 10)).to.deep.equal([]);
    expect(sampleRanges(5, 35, 3, 10)).to.deep.equal([{ offset: 5, limit: 30 }]);
    expect(sampleRanges(0, 100, 3, 10).map(({ offset }) => offset)).to.deep.equal([0, 45, 90]);
  });

  it('stay inside the group, apart from each other, from its first to its last', () => {
    const position = fc.nat(1_000_000);
    const size = fc.integer({ min: 1, max: 60 });
    fc.assert(
      fc.property(position, position, fc.integer({ min: 2, max: 12 }), size, (start, length, blocks, blockSize) => {
        const ranges = sampleRanges(start, start + length, blocks, blockSize);
        const positions = ranges.flatMap(({ offset, limit }) => Array.from({ length: limit }, (_, at) => offset + at));
        expect(new Set(positions).size).to.equal(positions.length);
        expect(positions.length).to.equal(Math.min(length, blocks * blockSize));
        if (length === 0) return;
        expect(positions[0]).to.equal(start);
        expect(positions.at(-1)).to.equal(start + length - 1);
      }),
    );
  });
});

/** The name of the tier to describe among tiers of so many operators, highest first. */
function nameOf(...sizes: readonly number[]): string | undefined {
  let end = 0;
  const ranges = sizes.map((size, index) => {
    const start = end;
    end += size;
    return { name: ['HIGH', 'MIDDLE', 'LOW'][index]!, from: 0, below: null, start, end };
  });
  return defaultTier(ranges)?.name;
}

describe('the tier to describe', () => {
  it('is the highest with enough operators, or else with any', () => {
    expect(nameOf(4, 10, 16)).to.equal('MIDDLE');
    expect(nameOf(0, 4, 5)).to.equal('MIDDLE');
    expect(nameOf(0, 0, 0)).to.equal(undefined);
  });
});
