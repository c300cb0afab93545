import { expect } from 'chai';
import { openFreshQueues } from '../../support/test-queues.ts';
import { useFreshFixture } from '../../support/use-fixture.ts';
import { run } from './run.ts';

describe('queues commands', () => {
  const work = useFreshFixture(openFreshQueues);
  const database = () => work().database;

  it('list queues with their job counts', async () => {
    await work().queues.ingest.add(
      'process-batch',
      { batch: 'a' },
      { jobId: 'batch-a', timestamp: Date.now() - 90_000 },
    );
    await work().queues.ingest.add('process-batch', { batch: 'b' }, { jobId: 'batch-b', delay: 60_000 });
    const { out } = await run(database(), ['queues', 'list']);
    expect(out).to.match(/^ingest: 1 waiting, 0 running, 1 delayed, 0 failed, the oldest waits 9\d s$/m);
    expect(out).to.match(/^upkeep: 0 waiting, 0 running, 0 delayed, 0 failed$/m);
    const { queues: listed } = JSON.parse((await run(database(), ['queues', 'list', '--json'])).out);
    const ingest = listed.find(({ queue }: { queue: string }) => queue === 'ingest');
    expect(ingest).to.include({ paused: false, waiting: 1, delayed: 1 });
  });

  it('pause and resume one', async () => {
    expect((await run(database(), ['queues', 'pause', 'ingest'])).out).to.equal('The queue ingest is paused.\n');
    expect(await work().queues.ingest.isPaused()).to.equal(true);
    expect((await run(database(), ['queues', 'list'])).out).to.match(/^ingest \(paused\): /m);
    const resumed = await run(database(), ['queues', 'resume', 'ingest', '--json']);
    expect(JSON.parse(resumed.out)).to.deep.equal({ queue: 'ingest', paused: false });
    expect(await work().queues.ingest.isPaused()).to.equal(false);
  });

  it('drain one after confirmation', async () => {
    await work().queues.ingest.add('process-batch', { batch: 'a' }, { jobId: 'batch-a' });
    await work().queues.ingest.add('process-batch', { batch: 'b' }, { jobId: 'batch-b', delay: 60_000 });
    const unconfirmed = await run(database(), ['queues', 'drain', 'ingest']);
    expect(unconfirmed.status).to.equal(1);
    expect(unconfirmed.err).to.include('drops 2 jobs').and.to.include('--yes');
    expect(await work().queues.ingest.getJobCounts('waiting', 'delayed')).to.deep.equal({ waiting: 1, delayed: 1 });
    expect((await run(database(), ['queues', 'drain', 'ingest', '--yes'])).out).to.equal(
      'Dropped 2 jobs of the queue ingest.\n',
    );
    expect(await work().queues.ingest.getJobCounts('waiting', 'delayed')).to.deep.equal({ waiting: 0, delayed: 0 });
  });

  it('refuse an unknown queue', async () => {
    const { status, err } = await run(database(), ['queues', 'pause', 'digest']);
    expect(status).to.equal(1);
    expect(err).to.match(/^Error: there is no queue digest\.\nThe queues are: ingest, upkeep/);
  });
});
