import { expect } from 'chai';
import { createRerankJobs } from '../../workers/rerank-jobs.ts';
import { freshDatabase } from '../support/engines.ts';
import { openTestQueues, type TestQueues } from '../support/test-queues.ts';

describe('the jobs of a re-rank', () => {
  let work: TestQueues;

  before(async () => {
    work = openTestQueues(await freshDatabase());
  });

  after(() => work.close());

  it('are missing when those are lost that the last one waits for', async () => {
    const jobs = createRerankJobs(work.queues);
    expect(await jobs.stateOf('run-a', 1)).to.equal('missing');
    await jobs.add({ run: 'run-a', flow: 1, ranges: [0, 1] });
    expect(await jobs.stateOf('run-a', 1)).to.equal('alive');
    expect(await jobs.stateOf('run-a', 2)).to.equal('missing');
    // The lists and the ranges' own keys are gone, the last job and what it waits for are still there.
    const keys = await work.redis.keys('*');
    const prefix = keys.find((key) => key.endsWith(':run-a-1'))!.slice(0, -'run-a-1'.length);
    await work.redis.del(
      `${prefix}wait`,
      `${prefix}paused`,
      `${prefix}prioritized`,
      `${prefix}run-a-1-0`,
      `${prefix}run-a-1-1`,
    );
    const last = await work.queues.rerank.getJob('run-a-1');
    expect(await last?.getState()).to.equal('waiting-children');
    expect(await jobs.stateOf('run-a', 1)).to.equal('missing');
  });
});
