import { expect } from 'chai';
import { createLiveFolds } from '../../../../engine/ranking/ingest/live-folds.ts';

describe('live folds', () => {
  it('are those of the last second', () => {
    let now = 5_000;
    const folds = createLiveFolds(() => now);
    expect(folds.areLive(), 'before the first').to.equal(false);
    folds.note();
    expect(folds.areLive()).to.equal(true);
    now += 999;
    expect(folds.areLive()).to.equal(true);
    now += 1;
    expect(folds.areLive(), 'a second later').to.equal(false);
    folds.note();
    expect(folds.areLive(), 'with the next').to.equal(true);
  });
});
