import { Worker } from 'bullmq';
import { expect } from 'chai';
import { queuePrefix } from '../../../workers/catalog.ts';
import type { Queues } from '../../../workers/open-queues.ts';
import { type FreshDatabase, freshDatabase } from '../../support/engines.ts';
import { eventually } from '../../support/eventually.ts';
import { openTestQueues, type TestQueues } from '../../support/test-queues.ts';
import { run } from './run.ts';

function refuse(): Promise<never> {
  return Promise.reject(new Error('the store said no\nand more'));
}

describe('jobs commands', () => {
  let database: FreshDatabase;
  let opened: TestQueues;
  let queues: Queues;

  beforeEach(async () => {
    database = await freshDatabase();
    opened = openTestQueues(database);
    ({ queues } = opened);
  });

  afterEach(() => opened.close());

  /** Adds jobs that fail at their only attempt. */
  async function failJobs(...ids: readonly string[]): Promise<void> {
    for (const id of ids) await queues.ingest.add('process-batch', { batch: id }, { jobId: id, attempts: 1 });
    const worker = new Worker('ingest', refuse, {
      connection: opened.redis,
      prefix: queuePrefix(database.prefix, 'ingest'),
    });
    await eventually('the failures', async () => (await queues.ingest.getFailedCount()) === ids.length);
    await worker.close();
  }

  it('say so when none has failed', async () => {
    expect(await run(database, ['jobs', 'failed'])).to.deep.equal({ status: 0, out: 'No job has failed.\n', err: '' });
    expect(JSON.parse((await run(database, ['jobs', 'failed', '--json'])).out)).to.deep.equal({ total: 0, jobs: [] });
    expect((await run(database, ['jobs', 'retry', '--all'])).out).to.equal('0 jobs run again.\n');
  });

  it('list what has failed', async () => {
    await failJobs('group-a', 'group-b', 'group-c');
    const { total, jobs } = JSON.parse((await run(database, ['jobs', 'failed', '--json'])).out);
    expect(total).to.equal(3);
    expect(jobs.map(({ id }: { id: string }) => id)).to.have.members(['group-a', 'group-b', 'group-c']);
    expect(jobs[0]).to.include({
      queue: 'ingest',
      name: 'process-batch',
      attempts: 1,
      reason: 'the store said no\nand more',
    });
    const { out } = await run(database, ['jobs', 'failed', '--limit', '2']);
    expect(out).to.match(/^3 failed jobs, 2 of them shown:\n {2}group-\w {2}process-batch \(ingest\), 1 attempts, /);
    expect(out).to.include('the store said no\n').and.not.to.include('and more');
  });

  it('put one back, with its attempts', async () => {
    await failJobs('group-a', 'group-b');
    expect(await run(database, ['jobs', 'retry', 'group-a'])).to.deep.equal({
      status: 0,
      out: '1 job runs again.\n',
      err: '',
    });
    const job = await queues.ingest.getJob('group-a');
    expect([await job?.getState(), job?.attemptsMade]).to.deep.equal(['waiting', 0]);
    expect(await queues.ingest.getFailedCount()).to.equal(1);
    const again = await run(database, ['jobs', 'retry', 'group-a']);
    expect(again.status).to.equal(1);
    expect(again.err).to.include('has not failed: it is waiting');
  });

  it('put all back', async () => {
    await failJobs('group-a', 'group-b', 'group-c');
    expect(JSON.parse((await run(database, ['jobs', 'retry', '--all', '--json'])).out)).to.deep.equal({ retried: 3 });
    expect(await queues.ingest.getJobCounts('waiting', 'failed')).to.deep.equal({ waiting: 3, failed: 0 });
  });

  it('know when there is no such job', async () => {
    const { status, err } = await run(database, ['jobs', 'retry', 'group-z']);
    expect(status).to.equal(1);
    expect(err).to.match(/^Error: there is no job group-z\.\n.*jobs failed\n$/);
  });
});
