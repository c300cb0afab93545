import { expect } from 'chai';
import { deltaLimit } from '../../../../../../engine/ranking/core/board/index.ts';

describe('deltaLimit', () => {
  const LIMITS = [
    { slots: 0, limit: 20_000, is: 'the minimum' },
    { slots: 10_000, limit: 20_000, is: 'the minimum, although it exceeds the population' },
    { slots: 200_000, limit: 20_000, is: 'both the minimum and a tenth' },
    { slots: 200_010, limit: 20_001, is: 'a tenth' },
    { slots: 1_000_000, limit: 100_000, is: 'a tenth' },
    { slots: 1_000_004, limit: 100_001, is: 'a tenth of a million, and a quarter of the rest' },
    { slots: 10_000_000, limit: 2_350_000, is: 'a tenth of a million, and a quarter of the rest' },
  ];

  for (const { slots, limit, is } of LIMITS) {
    it(`of ${slots} slots is ${is}`, () => expect(deltaLimit(slots)).to.be.closeTo(limit, 1e-6));
  }
});
