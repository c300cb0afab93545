import { setTimeout as pause } from 'node:timers/promises';
import { isDeepStrictEqual } from 'node:util';
import { expect } from 'chai';
import { eventually } from '../support/eventually.ts';
import { runsOf } from '../support/long-run.ts';
import { runSeed, seededRandom } from '../support/seeded-random.ts';
import { openTestQueues } from '../support/test-queues.ts';
import { useFixture } from '../support/use-fixture.ts';
import { expectVerdictSoon, internalErrors, openFaultStage } from './fault-stage.ts';
import { flushAll } from './own-engines.ts';

/** How long Redis is unavailable, in seconds: longer than a submission waits for its verdict. */
const UNAVAILABLE_S = runsOf(3, 60, 'FAULT_AWAY_S');
const BATCHES = 3;
/** Acknowledgements after that time: more than the concurrent senders, so that some were sent after it. */
const FURTHER = runsOf(9, 25);

describe('between the log and the queue', () => {
  const seed = runSeed();
  const stage = useFixture(openFaultStage);
  const queues = useFixture(() => openTestQueues(stage().service.engines.database));

  /** Number of batches without a verdict, and how many of them have a job. */
  async function waitingBatches(): Promise<{ readonly batches: number; readonly queued: number }> {
    const db = stage().connection.db!;
    const batches: string[] = await db.collection('snapshots').distinct('batch');
    const verdicts = await db.collection<{ _id: string }>('verdicts').distinct('_id');
    const undecided = batches.filter((batch) => !verdicts.includes(batch));
    const jobs = await Promise.all(undecided.map((batch) => queues().queues.ingest.getJob(batch)));
    return { batches: undecided.length, queued: jobs.filter((job) => job !== undefined).length };
  }

  it(`a killed api loses nothing, although Redis is emptied too (seed ${seed})`, async () => {
    const { service, proxies } = stage();
    const load = await stage().startLoad(seededRandom(seed), 'unqueued');
    try {
      await load.nextVerdict();
      // From here on batches reach neither the queue nor a worker.
      proxies.Redis.set({ kind: 'black hole' });
      await eventually('batches that are only in the log', async () => {
        const { batches, queued } = await waitingBatches();
        return batches - queued >= BATCHES;
      });
      const { restarted } = await service.kill(service.processes.find(({ name }) => name === 'api')!);
      await flushAll(service.engines.database.redisUrl);
      const left = await waitingBatches();
      expect(left.batches).to.be.at.least(BATCHES);
      expect(left.queued).to.equal(0);
      proxies.Redis.set({ kind: 'clear' });
      await restarted;
      await expectVerdictSoon(load);
    } finally {
      proxies.Redis.set({ kind: 'clear' });
      await load.stop();
    }
    await stage().expectConsistent(load);
    expect(internalErrors(load)).to.deep.equal([]);
  });

  it(`Redis may be unavailable for ${UNAVAILABLE_S} seconds: snapshots are acknowledged, and get their verdicts afterwards (seed ${seed})`, async () => {
    const { proxies } = stage();
    const load = await stage().startLoad(seededRandom(seed + 1), 'queueless');
    try {
      await load.nextVerdict();
      proxies.Redis.set({ kind: 'cut' });
      await pause(UNAVAILABLE_S * 1_000);
      const { size } = load.acknowledged;
      await eventually(
        'acknowledgements while Redis is still unavailable',
        () => load.acknowledged.size >= size + FURTHER,
      );
      expect((await waitingBatches()).batches, 'batches that wait for Redis').to.be.above(0);
      proxies.Redis.set({ kind: 'clear' });
      await expectVerdictSoon(load);
    } finally {
      proxies.Redis.set({ kind: 'clear' });
      await load.stop();
    }
    await stage().expectConsistent(load);
    expect([...load.responses.keys()], 'responses').to.deep.equal(['200']);
  });

  it('neither store may answer: the api stays ready, says so, and serves boards from memory', async () => {
    const { proxies, service } = stage();
    const { origin } = new URL(service.baseUrl);
    for (const proxy of Object.values(proxies)) proxy.set({ kind: 'black hole' });
    try {
      await eventually('both stores counted as down', async () => {
        const health: unknown = await (await fetch(`${origin}/health/stores`)).json();
        return isDeepStrictEqual(health, { mongodb: 'down', redis: 'down' });
      });
      expect((await fetch(`${origin}/health/ready`)).status).to.equal(200);
      expect((await fetch(`${service.baseUrl}/leaderboard`)).status).to.equal(200);
    } finally {
      for (const proxy of Object.values(proxies)) proxy.set({ kind: 'clear' });
    }
  });
});
