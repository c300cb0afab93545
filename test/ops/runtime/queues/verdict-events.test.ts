import { setImmediate as turn } from 'node:timers/promises';
import { queryObjects } from 'node:v8';
import { Worker } from 'bullmq';
import { expect } from 'chai';
import { openVerdictEvents, type VerdictEvents } from '../../../../ops/runtime/queues/verdict-events.ts';
import { settledHeap } from '../../../abuse/support/settled-heap.ts';
import { eventually } from '../../../support/eventually.ts';
import { openFreshQueues } from '../../../support/test-queues.ts';
import { useFixture } from '../../../support/use-fixture.ts';

const WAITS = 500;

describe('verdict events', () => {
  const errors: Error[] = [];
  const work = useFixture(openFreshQueues);
  useFixture(
    () =>
      new Worker(
        'ingest',
        ({ id, data }) => Promise.resolve(data.verdict ?? { batch: id, verdicts: [], totals: [] }),
        work().worker('ingest'),
      ),
  );
  const events = useFixture<VerdictEvents>(() =>
    openVerdictEvents(work().redis, work().database.prefix, (error) => errors.push(error)),
  );

  const process = (batch: string, verdict?: unknown) =>
    work().queues.ingest.add('process-batch', { verdict }, { jobId: batch });
  const never = new AbortController().signal;
  /** Starts and aborts a wait for a batch; returns a reference to the signal, which a waiter holds. */
  const giveUp = async (): Promise<WeakRef<AbortSignal>> => {
    const gone = new AbortController();
    const waiting = events().waitFor('no-such-batch', gone.signal);
    gone.abort();
    await waiting;
    return new WeakRef(gone.signal);
  };

  it('reach all waiters, and waits that start just after', async () => {
    const waiting = Promise.all([events().waitFor('a-batch', never), events().waitFor('a-batch', never)]);
    const gone = new AbortController();
    const left = events().waitFor('a-batch', gone.signal);
    gone.abort();
    expect(await left).to.equal(null);
    await process('a-batch');
    expect((await waiting).map((verdict) => verdict?.batch)).to.deep.equal(['a-batch', 'a-batch']);
    expect((await events().waitFor('a-batch', never))?.batch, 'just after').to.equal('a-batch');
    expect((await events().waitFor('a-batch', AbortSignal.abort()))?.batch, 'without time').to.equal('a-batch');
    expect(await events().waitFor('another', AbortSignal.abort())).to.equal(null);
  });

  it('are kept of the last few batches only', async () => {
    for (let index = 0; index <= 20; index++) {
      await process(`batch-${index}`);
      await events().waitFor(`batch-${index}`, never);
    }
    expect(await events().waitFor('batch-0', AbortSignal.abort())).to.equal(null);
    expect((await events().waitFor('batch-20', AbortSignal.abort()))?.batch).to.equal('batch-20');
  });

  it('keep nothing of an aborted wait', async () => {
    const signal = await giveUp();
    await settledHeap();
    expect(signal.deref()).to.equal(undefined);
    const sets = queryObjects(Set, { format: 'count' });
    for (let index = 0; index < WAITS; index++) {
      const ended = new AbortController();
      const waiting = events().waitFor(`no-such-batch-${index}`, ended.signal);
      ended.abort();
      await waiting;
    }
    expect(queryObjects(Set, { format: 'count' }) - sets, 'sets of waiters').to.be.below(WAITS / 2);
  });

  it('without verdicts are reported, and end no wait', async () => {
    const gone = new AbortController();
    const waiting = events().waitFor('odd-batch', gone.signal);
    await process('odd-batch', { nonsense: 1 });
    await eventually('the report', () => errors.length > 0);
    expect(errors[0]?.message).to.contain('odd-batch');
    expect(await Promise.race([waiting, turn('waiting')])).to.equal('waiting');
    gone.abort();
    expect(await waiting).to.equal(null);
  });
});
