import { expect } from 'chai';
import * as fc from 'fast-check';
import { factorsOf, LEVER_STEPS, LEVERS, movesTo, strongestLever } from '../../../../api/mcp/analysis/levers.ts';

const amount = fc.integer({ min: 1, max: 1_000_000 });
const counts = fc.record({ input: amount, output: amount, cache_read: amount });

/** From the definition alone. */
function yieldOf({ input, output, cache_read }: { input: number; output: number; cache_read: number }): number {
  return (cache_read * output) / (input * input);
}

describe('levers', () => {
  it('are moved by needed factors to exactly where they should lead', () => {
    fc.assert(
      fc.property(counts, fc.double({ min: 1.001, max: 1e6, noNaN: true }), (own, times) => {
        const target = yieldOf(own) * times;
        const needed = movesTo(yieldOf(own), target)!;
        for (const lever of LEVERS) {
          const { input, output, cache_read } = factorsOf({ lever, factor: needed[lever] });
          const moved = {
            input: own.input * input,
            output: own.output * output,
            cache_read: own.cache_read * cache_read,
          };
          expect(yieldOf(moved) / target).to.be.closeTo(1, 1e-9);
        }
      }),
    );
  });

  it('lead nowhere from a Yield of 0', () => {
    expect(movesTo(0, 1)).to.equal(null);
  });

  it('are each tried at each step, one at a time', () => {
    expect(LEVER_STEPS).to.have.length(9);
    for (const step of LEVER_STEPS) {
      const changed = Object.values(factorsOf(step)).filter((factor) => factor !== 1);
      expect(changed, step.lever).to.have.length(1);
    }
  });

  it('are compared by what their smallest step does', () => {
    const steps = [
      { lever: 'more_output', factor: 1.1, yield_: 11 },
      { lever: 'less_input', factor: 1.1, yield_: 12.1 },
      { lever: 'more_cache_reads', factor: 2, yield_: 20 },
    ] as const;
    expect(strongestLever(steps, 10)).to.deep.equal({ lever: 'less_input', times: 1.21 });
    expect(strongestLever([{ lever: 'less_input', factor: 1.1, yield_: 0 }], 0)).to.equal(null);
    expect(strongestLever([], 1)).to.equal(null);
  });
});
