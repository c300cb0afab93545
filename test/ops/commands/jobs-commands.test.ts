import { Worker } from 'bullmq';
import { expect } from 'chai';
import { eventually } from '../../support/eventually.ts';
import { openFreshQueues } from '../../support/test-queues.ts';
import { useFreshFixture } from '../../support/use-fixture.ts';
import { run } from './run.ts';

function refuse(): Promise<never> {
  return Promise.reject(new Error('the store refused\nand more'));
}

describe('jobs commands', () => {
  const work = useFreshFixture(openFreshQueues);
  const database = () => work().database;

  /** Adds jobs that fail at their single attempt. */
  async function failJobs(...ids: readonly string[]): Promise<void> {
    for (const id of ids) await work().queues.ingest.add('process-batch', { batch: id }, { jobId: id, attempts: 1 });
    const worker = new Worker('ingest', refuse, work().worker('ingest'));
    await eventually('the failures', async () => (await work().queues.ingest.getFailedCount()) === ids.length);
    await worker.close();
  }

  it('report that no job has failed', async () => {
    expect(await run(database(), ['jobs', 'failed'])).to.deep.equal({
      status: 0,
      out: 'No job has failed.\n',
      err: '',
    });
    expect(JSON.parse((await run(database(), ['jobs', 'failed', '--json'])).out)).to.deep.equal({
      total: 0,
      jobs: [],
    });
    expect((await run(database(), ['jobs', 'retry', '--all'])).out).to.equal('0 jobs run again.\n');
  });

  it('list failed jobs', async () => {
    await failJobs('batch-a', 'batch-b', 'batch-c');
    const { total, jobs } = JSON.parse((await run(database(), ['jobs', 'failed', '--json'])).out);
    expect(total).to.equal(3);
    expect(jobs.map(({ id }: { id: string }) => id)).to.have.members(['batch-a', 'batch-b', 'batch-c']);
    expect(jobs[0]).to.include({
      queue: 'ingest',
      name: 'process-batch',
      attempts: 1,
      reason: 'the store refused\nand more',
    });
    const { out } = await run(database(), ['jobs', 'failed', '--limit', '2']);
    expect(out).to.match(/^3 failed jobs, 2 of them shown:\n {2}batch-\w {2}process-batch \(ingest\), 1 attempts, /);
    expect(out).to.include('the store refused\n').and.not.to.include('and more');
  });

  it('requeue one job with all attempts', async () => {
    await failJobs('batch-a', 'batch-b');
    expect(await run(database(), ['jobs', 'retry', 'batch-a'])).to.deep.equal({
      status: 0,
      out: '1 job runs again.\n',
      err: '',
    });
    const job = await work().queues.ingest.getJob('batch-a');
    expect([await job?.getState(), job?.attemptsMade]).to.deep.equal(['waiting', 0]);
    expect(await work().queues.ingest.getFailedCount()).to.equal(1);
    const again = await run(database(), ['jobs', 'retry', 'batch-a']);
    expect(again.status).to.equal(1);
    expect(again.err).to.include('has not failed: it is waiting');
  });

  it('requeue all jobs', async () => {
    await failJobs('batch-a', 'batch-b', 'batch-c');
    expect(JSON.parse((await run(database(), ['jobs', 'retry', '--all', '--json'])).out)).to.deep.equal({
      retried: 3,
    });
    expect(await work().queues.ingest.getJobCounts('waiting', 'failed')).to.deep.equal({ waiting: 3, failed: 0 });
  });

  it('report an unknown job', async () => {
    const { status, err } = await run(database(), ['jobs', 'retry', 'batch-z']);
    expect(status).to.equal(1);
    expect(err).to.match(/^Error: there is no job batch-z\.\n.*jobs failed\n$/);
  });
});
