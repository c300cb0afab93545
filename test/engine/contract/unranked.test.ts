import { expect } from 'chai';
import { publicMissingIn } from '../../../engine/contract/unranked.ts';

const FLOORS = { minimum_tokens: 400_000, minimum_input: 1_000, minimum_input_share: 0.01 };

describe('public missing parts', () => {
  it('are full tenths of the floor, so that no sum with cache writes is public', () => {
    const usage = { input: 153, output: 416, cache_read: 200_000 };
    for (const cache_write of [38_000, 38_001, 39_430]) {
      expect(publicMissingIn({ ...usage, cache_write }, FLOORS)).to.deep.equal([
        { of: 'tokens', needs: 400_000, has: 200_000 },
        { of: 'input', needs: 1_000, has: 100 },
        { of: 'input_share', needs: 0.01, has: 0 },
      ]);
    }
  });

  it('are less than the floor where nearly all is there', () => {
    const usage = { input: 999, output: 399_000, cache_read: 0, cache_write: 0 };
    const missing = publicMissingIn(usage, { ...FLOORS, minimum_input_share: 0 });
    expect(missing.map(({ has }) => has)).to.deep.equal([360_000, 900]);
  });
});
