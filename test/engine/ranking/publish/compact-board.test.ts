import { expect } from 'chai';
import { isCompactionDue } from '../../../../engine/ranking/publish/compact-board.ts';

const HOUR = 540_000;

/** A board of the hour whose last kept base is of `kept`, over a base of `slots`, with `size` operators that differ. */
function boardOf(kept: number | null, slots: number, size: number) {
  const history = kept === null ? [] : [{ base: 'base', hour: kept, methodology: 1 }];
  return { root: { hour: HOUR, history }, base: { slots }, overlay: { size } };
}

describe('isCompactionDue', () => {
  const SIZES = [
    { slots: 0, most: 20_000 },
    { slots: 200_000, most: 20_000 },
    { slots: 200_010, most: 20_001 },
    { slots: 1_000_000, most: 100_000 },
    { slots: 10_000_000, most: 2_350_000 },
  ];

  for (const { slots, most } of SIZES) {
    it(`lets a base of ${slots} slots have ${most} operators that differ, and no more`, () => {
      expect(isCompactionDue(boardOf(HOUR, slots, most))).to.equal(false);
      expect(isCompactionDue(boardOf(HOUR, slots, most + 1))).to.equal(true);
    });
  }

  it('wants a base of every hour, even where nothing differs', () => {
    expect(isCompactionDue(boardOf(null, 10, 0))).to.equal(true);
    expect(isCompactionDue(boardOf(HOUR - 1, 10, 0))).to.equal(true);
    expect(isCompactionDue(boardOf(HOUR, 10, 0))).to.equal(false);
  });
});
