import { expect } from 'chai';
import { createLiveIngest } from '../../../../engine/ranking/ingest/live-ingest.ts';

describe('live folds', () => {
  it('are those of the last second', () => {
    let now = 5_000;
    const applications = createLiveIngest(() => now);
    expect(applications.isActive(), 'before the first').to.equal(false);
    applications.recordBatch();
    expect(applications.isActive()).to.equal(true);
    now += 999;
    expect(applications.isActive()).to.equal(true);
    now += 1;
    expect(applications.isActive(), 'a second later').to.equal(false);
    applications.recordBatch();
    expect(applications.isActive(), 'with the next').to.equal(true);
  });
});
