import { expect } from 'chai';
import { createLiveIngest } from '../../../../engine/ranking/ingest/live-ingest.ts';

describe('live ingest', () => {
  it('is active for a second after each batch', () => {
    let now = 5_000;
    const ingest = createLiveIngest(() => now);
    expect(ingest.isActive(), 'before the first').to.equal(false);
    ingest.recordBatch();
    expect(ingest.isActive()).to.equal(true);
    now += 999;
    expect(ingest.isActive()).to.equal(true);
    now += 1;
    expect(ingest.isActive(), 'a second later').to.equal(false);
    ingest.recordBatch();
    expect(ingest.isActive(), 'with the next').to.equal(true);
  });
});
