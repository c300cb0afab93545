import { EventEmitter, once } from 'node:events';
import { type Job, UnrecoverableError, Worker } from 'bullmq';
import { expect } from 'chai';
import { createRerankJobs } from '../../workers/rerank-jobs.ts';
import { eventually } from '../support/eventually.ts';
import { openFreshQueues } from '../support/test-queues.ts';
import { useFixture } from '../support/use-fixture.ts';

describe('the jobs of a re-rank', () => {
  const work = useFixture(openFreshQueues);

  it('are missing when the children of the last one are lost', async () => {
    const jobs = createRerankJobs(work().queues);
    expect(await jobs.stateOf('run-a', 1)).to.equal('missing');
    await jobs.add({ run: 'run-a', flow: 1, ranges: [0, 1] });
    expect(await jobs.stateOf('run-a', 1)).to.equal('alive');
    expect(await jobs.stateOf('run-a', 2)).to.equal('missing');
    // The lists and the ranges' keys are gone; the last job and its dependencies remain.
    const keys = await work().redis.keys('*');
    const own = keys.find((key) => key.endsWith(':run-a-1'))!.slice(0, -'run-a-1'.length);
    await work().redis.del(`${own}wait`, `${own}paused`, `${own}prioritized`, `${own}run-a-1-0`, `${own}run-a-1-1`);
    const last = await work().queues.rerank.getJob('run-a-1');
    expect(await last?.getState()).to.equal('waiting-children');
    expect(await jobs.stateOf('run-a', 1)).to.equal('missing');
  });

  it('are alive while one waits for a retry, and missing once one failed permanently', async () => {
    const jobs = createRerankJobs(work().queues);
    await work().queues.rerank.obliterate({ force: true });
    await jobs.add({ run: 'run-b', flow: 1, ranges: [0] });
    const worker = new Worker('rerank', null, work().worker('rerank'));
    const next = (): Promise<Job> => worker.getNextJob('a-token');
    const later = async (job: Job): Promise<void> => {
      expect(await jobs.stateOf('run-b', 1), `${job.name} under way`).to.equal('alive');
      await job.moveToDelayed(Date.now() + 60_000, 'a-token');
      expect(await job.getState()).to.equal('delayed');
      expect(await jobs.stateOf('run-b', 1), `${job.name} delayed`).to.equal('alive');
      await job.promote();
    };
    await later(await next());
    await (await next()).moveToCompleted(null, 'a-token', false);
    await later(await next());
    await worker.close();
  });

  it('are missing once one failed permanently, although another is running', async () => {
    const jobs = createRerankJobs(work().queues);
    await work().queues.rerank.obliterate({ force: true });
    await jobs.add({ run: 'run-c', flow: 1, ranges: [0, 1] });
    const release = new EventEmitter();
    const worker = new Worker(
      'rerank',
      async ({ data }: Job<{ range: number }>) => {
        if (data.range === 0) throw new UnrecoverableError('never');
        await once(release, 'now');
      },
      { ...work().worker('rerank'), concurrency: 2 },
    );
    await eventually('the failure of the flow', async () => (await jobs.stateOf('run-c', 1)) === 'missing');
    expect(await (await work().queues.rerank.getJob('run-c-1-1'))?.getState()).to.equal('active');
    release.emit('now');
    await worker.close();
  });
});
