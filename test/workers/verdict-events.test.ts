import { setImmediate as turn } from 'node:timers/promises';
import { Worker } from 'bullmq';
import { expect } from 'chai';
import { queuePrefix } from '../../workers/catalog.ts';
import { openVerdictEvents, type VerdictEvents } from '../../workers/verdict-events.ts';
import { settledHeap } from '../abuse/support/settled-heap.ts';
import { freshDatabase } from '../support/engines.ts';
import { eventually } from '../support/eventually.ts';
import { openTestQueues, type TestQueues } from '../support/test-queues.ts';

describe('the events of verdicts', () => {
  const errors: Error[] = [];
  let work: TestQueues;
  let worker: Worker;
  let events: VerdictEvents;

  before(async () => {
    const database = await freshDatabase();
    work = openTestQueues(database);
    events = await openVerdictEvents(work.redis, database.prefix, (error) => errors.push(error));
    worker = new Worker(
      'ingest',
      ({ id, data }) => Promise.resolve(data.verdict ?? { batch: id, verdicts: [], totals: [] }),
      { connection: work.redis, prefix: queuePrefix(database.prefix, 'ingest') },
    );
  });

  after(async () => {
    await worker.close();
    await events.close();
    await work.close();
  });

  const process = (batch: string, verdict?: unknown) =>
    work.queues.ingest.add('process-batch', { verdict }, { jobId: batch });
  const never = new AbortController().signal;
  /** Waits for a group and gives up; answers a reference to the signal, which a waiter holds. */
  const giveUp = async (): Promise<WeakRef<AbortSignal>> => {
    const gone = new AbortController();
    const waiting = events.waitFor('no-such-group', gone.signal);
    gone.abort();
    await waiting;
    return new WeakRef(gone.signal);
  };

  it('reach all who wait, and who asks just after', async () => {
    const waiting = Promise.all([events.waitFor('a-group', never), events.waitFor('a-group', never)]);
    const gone = new AbortController();
    const left = events.waitFor('a-group', gone.signal);
    gone.abort();
    expect(await left).to.equal(null);
    await process('a-group');
    expect((await waiting).map((verdict) => verdict?.batch)).to.deep.equal(['a-group', 'a-group']);
    expect((await events.waitFor('a-group', never))?.batch, 'just after').to.equal('a-group');
    expect((await events.waitFor('a-group', AbortSignal.abort()))?.batch, 'without time').to.equal('a-group');
    expect(await events.waitFor('another', AbortSignal.abort())).to.equal(null);
  });

  it('keep nothing of a wait that was given up', async () => {
    const signal = await giveUp();
    await settledHeap();
    expect(signal.deref()).to.equal(undefined);
  });

  it('that hold no verdicts are reported, and end no wait', async () => {
    const gone = new AbortController();
    const waiting = events.waitFor('odd-group', gone.signal);
    await process('odd-group', { nonsense: 1 });
    await eventually('the report', () => errors.length > 0);
    expect(errors[0]?.message).to.contain('odd-group');
    expect(await Promise.race([waiting, turn('waiting')])).to.equal('waiting');
    gone.abort();
    expect(await waiting).to.equal(null);
  });
});
