import { expect } from 'chai';
import * as fc from 'fast-check';
import { nearestCodenames } from '../../../../engine/ranking/core/nearest-codenames.ts';

describe('nearestCodenames', () => {
  it('orders by longest common prefix, then by fewest edits', () => {
    const candidates = ['harbor-12', 'harbor-1', 'harvest', 'anchor', 'harbor'];
    expect(nearestCodenames('harbor-13', candidates, 3)).to.deep.equal(['harbor-1', 'harbor-12', 'harbor']);
    const alike = ['barbor-13', 'harbor-lights', 'harbor-15', 'harbor-14'];
    expect(nearestCodenames('harbor-13', alike, 4)).to.deep.equal([
      'harbor-14',
      'harbor-15',
      'harbor-lights',
      'barbor-13',
    ]);
  });

  it('returns distinct candidates, at most `limit`', () => {
    const codename = fc.stringMatching(/^[a-c]{1,6}$/);
    fc.assert(
      fc.property(codename, fc.uniqueArray(codename), fc.nat(8), (wanted, candidates, limit) => {
        const found = nearestCodenames(wanted, candidates, limit);
        expect(found).to.have.length(Math.min(limit, candidates.length));
        expect(new Set(found).size).to.equal(found.length);
        expect(candidates).to.include.members(found);
        if (limit > 0 && candidates.includes(wanted)) expect(found[0]).to.equal(wanted);
      }),
    );
  });
});
