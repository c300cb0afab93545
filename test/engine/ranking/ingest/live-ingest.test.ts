import { expect } from 'chai';
import { createLiveIngest } from '../../../../engine/ranking/ingest/live-ingest.ts';

describe('live folds', () => {
  it('are those of the last second', () => {
    let now = 5_000;
    const applications = createLiveIngest(() => now);
    expect(applications.areLive(), 'before the first').to.equal(false);
    applications.note();
    expect(applications.areLive()).to.equal(true);
    now += 999;
    expect(applications.areLive()).to.equal(true);
    now += 1;
    expect(applications.areLive(), 'a second later').to.equal(false);
    applications.note();
    expect(applications.areLive(), 'with the next').to.equal(true);
  });
});
