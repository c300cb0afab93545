import { expect } from 'chai';
import * as fc from 'fast-check';
import { separate } from '../../../../api/mcp/analysis/separation.ts';

const ratio = fc.double({ min: 1e-6, max: 1e6, noNaN: true });
const cascade = fc.record({ leverage: ratio, velocity: ratio });

describe('what separates two cascades', () => {
  it('names the ratio that makes two thirds of the gap, or both', () => {
    expect(separate({ leverage: 8, velocity: 1 }, { leverage: 1, velocity: 1 }).main).to.equal('leverage');
    expect(separate({ leverage: 1, velocity: 1 }, { leverage: 1, velocity: 5 }).main).to.equal('velocity');
    expect(separate({ leverage: 2, velocity: 2 }, { leverage: 1, velocity: 1 }).main).to.equal('both');
    expect(separate({ leverage: 2, velocity: 3 }, { leverage: 2, velocity: 3 }).main).to.equal('neither');
  });

  it('shares out the whole gap, and tells the ratios', () => {
    fc.assert(
      fc.property(cascade, cascade, (a, b) => {
        const found = separate(a, b);
        expect(found.leverage_ratio).to.equal(a.leverage / b.leverage);
        expect(found.velocity_ratio).to.equal(a.velocity / b.velocity);
        if (found.leverage_share === null || found.velocity_share === null) return;
        const size = Math.max(1, Math.abs(found.leverage_share));
        expect(found.leverage_share + found.velocity_share).to.be.closeTo(1, 1e-9 * size);
      }),
    );
  });

  it('says the same of either side', () => {
    fc.assert(
      fc.property(cascade, cascade, (a, b) => {
        expect(separate(a, b).main).to.equal(separate(b, a).main);
      }),
    );
  });

  it('has no ratio to a 0 and no infinity', () => {
    const some = { leverage: 3, velocity: 2 };
    expect(separate(some, { leverage: 0, velocity: 2 })).to.deep.equal({
      leverage_ratio: null,
      velocity_ratio: 1,
      leverage_share: null,
      velocity_share: null,
      main: 'leverage',
    });
    expect(separate({ leverage: 0, velocity: 0 }, { leverage: 0, velocity: 0 }).main).to.equal('neither');
    expect(separate(some, { leverage: 0, velocity: 0 }).main).to.equal('both');
  });
});
