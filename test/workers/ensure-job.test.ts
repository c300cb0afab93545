import { Worker } from 'bullmq';
import { expect } from 'chai';
import { queuePrefix } from '../../workers/catalog.ts';
import { enqueueBatch, ensureBatchJob } from '../../workers/enqueue-batch.ts';
import { type FreshDatabase, freshDatabase } from '../support/engines.ts';
import { eventually } from '../support/eventually.ts';
import { openTestQueues, type TestQueues } from '../support/test-queues.ts';

describe('a group of the log that waits for its job', () => {
  let database: FreshDatabase;
  let work: TestQueues;

  before(async () => {
    database = await freshDatabase();
    work = openTestQueues(database);
  });

  after(() => work.close());

  const stateOf = async (batch: string): Promise<string | undefined> =>
    (await work.queues.ingest.getJob(batch))?.getState();

  it('gets one where there is none, and keeps the one that waits', async () => {
    await ensureBatchJob(work.queues, 'missing-group');
    expect(await stateOf('missing-group')).to.equal('waiting');
    await ensureBatchJob(work.queues, 'missing-group');
    expect(await work.queues.ingest.getWaitingCount()).to.equal(1);
    await work.queues.ingest.remove('missing-group');
  });

  it('gets a new job with all attempts after its job failed for good', async () => {
    await work.queues.ingest.add('process-batch', { batch: 'failed-group' }, { jobId: 'failed-group', attempts: 1 });
    const worker = new Worker('ingest', () => Promise.reject(new Error('never')), {
      connection: work.redis,
      prefix: queuePrefix(database.prefix, 'ingest'),
    });
    await eventually('the failure', async () => (await stateOf('failed-group')) === 'failed');
    await worker.close();
    await ensureBatchJob(work.queues, 'failed-group');
    const job = await work.queues.ingest.getJob('failed-group');
    expect(await job?.getState()).to.equal('waiting');
    expect(job?.attemptsMade).to.equal(0);
    await work.queues.ingest.remove('failed-group');
  });

  it('gets one in place of a job that lost its place in every list', async () => {
    await enqueueBatch(work.queues, 'placeless-group');
    const prefix = queuePrefix(database.prefix, 'ingest');
    // What a wipe of Redis that was cut short leaves: the hash of the job, and no list that has it.
    const lists = (await work.redis.keys(`*${prefix}*`)).filter((key) => !key.endsWith('placeless-group'));
    await work.redis.del(...lists);
    expect(await stateOf('placeless-group')).to.equal('unknown');
    await ensureBatchJob(work.queues, 'placeless-group');
    expect(await stateOf('placeless-group')).to.equal('waiting');
    await work.queues.ingest.remove('placeless-group');
  });

  it('gets one in place of a job that ended and left no verdict', async () => {
    await enqueueBatch(work.queues, 'ended-group');
    const worker = new Worker('ingest', null, {
      connection: work.redis,
      prefix: queuePrefix(database.prefix, 'ingest'),
    });
    const job = await worker.getNextJob('a-token');
    job.opts.removeOnComplete = false;
    await job.moveToCompleted(null, 'a-token', false);
    await worker.close();
    expect(await stateOf('ended-group')).to.equal('completed');
    await ensureBatchJob(work.queues, 'ended-group');
    expect(await stateOf('ended-group')).to.equal('waiting');
  });
});
