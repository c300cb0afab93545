import { setTimeout as pause } from 'node:timers/promises';
import { expect } from 'chai';
import { KEY_PREFIX, openFailFastRedis, openQueues } from '../../workers/index.ts';
import { eventually } from '../support/eventually.ts';
import { runsOf } from '../support/long-run.ts';
import { runSeed, seededRandom } from '../support/seeded-random.ts';
import { type FaultStage, faultsOfOurs, openFaultStage, verdictAgain } from './fault-stage.ts';
import { flushAll } from './own-engines.ts';

/** How long Redis is away, in seconds: longer than a submission waits for its verdict, at least. */
const AWAY_S = runsOf(3, 60, 'FAULT_AWAY_S');
const BATCHES = 3;
/** Acknowledgements after that time: more than are waited for at once, so that some were sent after it. */
const AGAIN = 25;

describe('between the log and the queue', function () {
  this.timeout(150_000 + AWAY_S * 1_000);
  const seed = runSeed();
  let stage: FaultStage;

  before(async () => {
    stage = await openFaultStage();
  });

  after(() => stage?.close());

  /** Groups of the log that nobody has judged, and how many of them have a job. */
  async function waitingBatches(): Promise<{ readonly batches: number; readonly queued: number }> {
    const db = stage.connection.db!;
    const batches: string[] = await db.collection('snapshots').distinct('batch');
    const verdicts = await db.collection<{ _id: string }>('verdicts').distinct('_id');
    const undecided = batches.filter((batch) => !verdicts.includes(batch));
    const redis = openFailFastRedis(stage.service.engines.database.redisUrl, () => undefined);
    const queues = openQueues(redis, KEY_PREFIX, () => undefined);
    const jobs = await Promise.all(undecided.map((batch) => queues.ingest.getJob(batch)));
    await queues.close();
    redis.disconnect();
    return { batches: undecided.length, queued: jobs.filter((job) => job !== undefined).length };
  }

  it(`an api that is killed leaves nothing undone, although Redis is emptied, too (seed ${seed})`, async () => {
    const { service, ways } = stage;
    const load = await stage.startLoad(seededRandom(seed), 'unqueued');
    try {
      await load.nextVerdict();
      // From here on what is logged comes no further: neither to the queue nor to a worker.
      ways.Redis.set({ kind: 'black hole' });
      await eventually('groups that are logged alone', async () => {
        const { batches, queued } = await waitingBatches();
        return batches - queued >= BATCHES;
      });
      const { restarted } = await service.kill(service.processes.find(({ name }) => name === 'api')!);
      await flushAll(service.engines.database.redisUrl);
      const left = await waitingBatches();
      expect(left.batches).to.be.at.least(BATCHES);
      expect(left.queued).to.equal(0);
      ways.Redis.set({ kind: 'clear' });
      await restarted;
      await verdictAgain(load);
    } finally {
      ways.Redis.set({ kind: 'clear' });
      await load.stop();
    }
    await stage.whole(load);
    expect(faultsOfOurs(load)).to.deep.equal([]);
  });

  it(`Redis may be away for ${AWAY_S} seconds: snapshots are acknowledged, and judged afterwards (seed ${seed})`, async () => {
    const { ways } = stage;
    const load = await stage.startLoad(seededRandom(seed + 1), 'queueless');
    try {
      await load.nextVerdict();
      ways.Redis.set({ kind: 'cut' });
      await pause(AWAY_S * 1_000);
      const { size } = load.acknowledged;
      await eventually('acknowledgements while Redis is still away', () => load.acknowledged.size >= size + AGAIN);
      expect((await waitingBatches()).batches, 'groups that wait for Redis').to.be.above(0);
      ways.Redis.set({ kind: 'clear' });
      await verdictAgain(load);
    } finally {
      ways.Redis.set({ kind: 'clear' });
      await load.stop();
    }
    await stage.whole(load);
    expect([...load.answers.keys()], 'answers').to.deep.equal(['200']);
  });
});
