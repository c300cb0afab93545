import { setTimeout as pause } from 'node:timers/promises';
import { isDeepStrictEqual } from 'node:util';
import { expect } from 'chai';
import { eventually } from '../support/eventually.ts';
import { leaveOut } from '../support/leave-out.ts';
import { runsOf } from '../support/long-run.ts';
import { runSeed, seededRandom } from '../support/seeded-random.ts';
import { openTestQueues } from '../support/test-queues.ts';
import { useFixture } from '../support/use-fixture.ts';
import { expectVerdictSoon, internalErrors, openFaultStage } from './fault-stage.ts';
import { canLackSpace, mongoLacksSpace, redisLacksSpace } from './lack-space.ts';
import type { Load } from './load.ts';
import { flushAll } from './own-engines.ts';

/** How long Redis is unavailable, in seconds: longer than a submission waits for its verdict. */
const UNAVAILABLE_S = runsOf(3, 60, 'FAULT_AWAY_S');
const BATCHES = 3;
/** More acknowledgements than concurrent senders, so that some were sent during the fault. */
const FURTHER = runsOf(9, 25);

const canLack = await canLackSpace();

describe('a service whose stores fail', () => {
  const seed = runSeed();
  const stage = useFixture(openFaultStage);
  /** The status of a read. */
  const read = async () => (await fetch(`${stage().service.baseUrl}/leaderboard`)).status;

  describe('between the log and the queue', () => {
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

  describe('a write that fails for lack of space', () => {
    if (!canLack) return leaveOut('prlimit', 'this machine does not have prlimit, a Linux program');

    async function underLoad(name: string, strike: (load: Load) => Promise<void>): Promise<Load> {
      const load = await stage().startLoad(seededRandom(seed), name);
      try {
        await load.nextVerdict();
        await strike(load);
        await expectVerdictSoon(load);
      } finally {
        await load.stop();
      }
      await stage().expectConsistent(load);
      return load;
    }

    it(`to MongoDB is reported as a storage problem, and loses nothing acknowledged (seed ${seed})`, async () => {
      const { responses } = await underLoad('no-room', async (load) => {
        await mongoLacksSpace(stage().service, 0, async () => {
          await eventually('a response that reports it', () => load.responses.get('500 storage_unavailable'));
          expect(await read()).to.equal(200);
        });
      });
      expect([...responses.keys()].filter((response) => response.startsWith('5'))).to.deep.equal([
        '500 storage_unavailable',
      ]);
    });

    it(`to Redis does not stop acknowledgements, and their verdicts follow (seed ${seed})`, async () => {
      const { responses } = await underLoad('no-queue', async (load) => {
        await redisLacksSpace(stage().service, 0, async () => {
          const before = load.acknowledged.size;
          await eventually('further acknowledgements', () => load.acknowledged.size > before + FURTHER);
          expect(await read()).to.equal(200);
        });
      });
      expect([...responses.keys()].filter((response) => response.startsWith('5'))).to.deep.equal([]);
    });
  });
});
