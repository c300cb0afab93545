import { expect } from 'chai';
import * as fc from 'fast-check';
import { cascadeDistance, similarCascades } from '../../../../api/mcp/analysis/similar-cascades.ts';

const ratio = fc.oneof(
  { weight: 9, arbitrary: fc.double({ min: 1e-3, max: 1e3, noNaN: true }) },
  { weight: 1, arbitrary: fc.constant(0) },
);
const operator = fc
  .record({ leverage: ratio, velocity: ratio })
  .map((cascade) => ({ ...cascade, yield_: cascade.leverage * cascade.velocity }));

describe('similar cascades', () => {
  it('measures by ratios, not by differences', () => {
    const own = { leverage: 10, velocity: 2 };
    expect(cascadeDistance(own, own)).to.equal(0);
    expect(cascadeDistance(own, { leverage: 20, velocity: 2 })).to.be.closeTo(Math.LN2, 1e-12);
    expect(cascadeDistance(own, { leverage: 5, velocity: 2 })).to.be.closeTo(Math.LN2, 1e-12);
    expect(cascadeDistance(own, { leverage: 0, velocity: 2 })).to.equal(Number.POSITIVE_INFINITY);
    expect(cascadeDistance({ leverage: 0, velocity: 2 }, { leverage: 0, velocity: 2 })).to.equal(0);
  });

  it('is certain only when nobody beyond what was scanned is liker', () => {
    fc.assert(
      fc.property(
        fc.array(operator, { minLength: 2, maxLength: 40 }),
        fc.nat(),
        fc.integer({ min: 1, max: 10 }),
        fc.integer({ min: 1, max: 5 }),
        (operators, pick, reach, limit) => {
          const board = operators.toSorted((a, b) => b.yield_ - a.yield_);
          const position = pick % board.length;
          const own = board[position]!;
          const start = Math.max(0, position - reach);
          const end = Math.min(board.length, position + reach + 1);
          const candidates = [...board.slice(start, position), ...board.slice(position + 1, end)];
          const more = { above: start > 0, below: end < board.length };
          const { similar, certain } = similarCascades(own, { candidates, more }, limit);
          const everybody = board
            .filter((_, index) => index !== position)
            .map((other) => cascadeDistance(own, other))
            .filter(Number.isFinite)
            .toSorted((a, b) => a - b)
            .slice(0, limit);
          const distances = similar.map(({ distance }) => distance);
          expect(distances).to.deep.equal(distances.toSorted((a, b) => a - b));
          if (!more.above && !more.below) expect(certain).to.equal(true);
          if (!certain) return;
          expect(distances).to.have.length(everybody.length);
          for (const [index, distance] of distances.entries()) {
            expect(distance).to.be.closeTo(everybody[index]!, 1e-9);
          }
        },
      ),
      { numRuns: 500 },
    );
  });
});
