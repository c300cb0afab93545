import { Worker } from 'bullmq';
import { expect } from 'chai';
import { queuePrefix } from '../../../../ops/runtime/queues/catalog.ts';
import { enqueueBatch, ensureBatchJob } from '../../../../ops/runtime/queues/enqueue.ts';
import { eventually } from '../../../support/eventually.ts';
import { openFreshQueues } from '../../../support/test-queues.ts';
import { useFixture } from '../../../support/use-fixture.ts';

describe('a logged batch without a live job', () => {
  const work = useFixture(openFreshQueues);

  const stateOf = async (batch: string): Promise<string | undefined> =>
    (await work().queues.ingest.getJob(batch))?.getState();

  it('gets a missing job, and keeps a waiting one', async () => {
    await ensureBatchJob(work().queues, 'missing-batch');
    expect(await stateOf('missing-batch')).to.equal('waiting');
    await ensureBatchJob(work().queues, 'missing-batch');
    expect(await work().queues.ingest.getWaitingCount()).to.equal(1);
    await work().queues.ingest.remove('missing-batch');
  });

  it('has a permanently failed job retried with all attempts', async () => {
    await work().queues.ingest.add('process-batch', { batch: 'failed-batch' }, { jobId: 'failed-batch', attempts: 1 });
    const worker = new Worker('ingest', () => Promise.reject(new Error('never')), work().worker('ingest'));
    await eventually('the failure', async () => (await stateOf('failed-batch')) === 'failed');
    await worker.close();
    await ensureBatchJob(work().queues, 'failed-batch');
    const job = await work().queues.ingest.getJob('failed-batch');
    expect(await job?.getState()).to.equal('waiting');
    expect(job?.attemptsMade).to.equal(0);
    await work().queues.ingest.remove('failed-batch');
  });

  it('gets a new job in place of one that is in no list', async () => {
    await enqueueBatch(work().queues, 'placeless-batch');
    const prefix = queuePrefix(work().database.prefix, 'ingest');
    // The result of an interrupted wipe of Redis: the hash of the job, in no list.
    const lists = (await work().redis.keys(`*${prefix}*`)).filter((key) => !key.endsWith('placeless-batch'));
    await work().redis.del(...lists);
    expect(await stateOf('placeless-batch')).to.equal('unknown');
    await ensureBatchJob(work().queues, 'placeless-batch');
    expect(await stateOf('placeless-batch')).to.equal('waiting');
    await work().queues.ingest.remove('placeless-batch');
  });

  it('gets a new job in place of one that completed without a verdict', async () => {
    await enqueueBatch(work().queues, 'ended-batch');
    const worker = new Worker('ingest', null, work().worker('ingest'));
    const job = await worker.getNextJob('a-token');
    job.opts.removeOnComplete = false;
    await job.moveToCompleted(null, 'a-token', false);
    await worker.close();
    expect(await stateOf('ended-batch')).to.equal('completed');
    await ensureBatchJob(work().queues, 'ended-batch');
    expect(await stateOf('ended-batch')).to.equal('waiting');
  });
});
