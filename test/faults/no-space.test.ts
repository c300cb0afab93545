import { expect } from 'chai';
import { eventually } from '../support/eventually.ts';
import { leaveOut } from '../support/leave-out.ts';
import { runSeed, seededRandom } from '../support/seeded-random.ts';
import { type FaultStage, openFaultStage, verdictAgain } from './fault-stage.ts';
import { canLackSpace, mongoLacksSpace, redisLacksSpace } from './lack-space.ts';
import type { Load } from './load.ts';

/** More acknowledgements than are waited for at once, so that some snapshots were sent without space. */
const AT_ONCE = 16;
const MET_WITHIN_MS = 20_000;

const canLack = await canLackSpace();

describe('a write that fails for want of space', function () {
  this.timeout(150_000);
  if (!canLack) return leaveOut('prlimit', 'there is no prlimit on this machine, a program of Linux');
  const seed = runSeed();
  let stage: FaultStage;

  before(async () => {
    stage = await openFaultStage();
  });

  after(() => stage?.close());

  /** What a reader is answered meanwhile. */
  async function read(): Promise<number> {
    return (await fetch(`${stage.service.baseUrl}/leaderboard`)).status;
  }

  async function underLoad(name: string, strike: (load: Load) => Promise<void>): Promise<Load> {
    const load = await stage.startLoad(seededRandom(seed), name);
    try {
      await load.nextVerdict();
      await strike(load);
      await verdictAgain(load);
    } finally {
      await load.stop();
    }
    await stage.whole(load);
    return load;
  }

  it(`to MongoDB is reported as a problem of the storage, and loses nothing acknowledged (seed ${seed})`, async () => {
    const { answers } = await underLoad('no-room', async (load) => {
      await mongoLacksSpace(stage.service, 0, async () => {
        await eventually('an answer that reports it', () => load.answers.get('500 storage_unavailable'), MET_WITHIN_MS);
        expect(await read()).to.equal(200);
      });
    });
    expect([...answers.keys()].filter((answer) => answer.startsWith('5'))).to.deep.equal(['500 storage_unavailable']);
  });

  it(`to Redis keeps snapshots being acknowledged, and their verdicts follow (seed ${seed})`, async () => {
    const { answers } = await underLoad('no-queue', async (load) => {
      await redisLacksSpace(stage.service, 0, async () => {
        const before = load.acknowledged.size;
        await eventually('further acknowledgements', () => load.acknowledged.size > before + AT_ONCE, MET_WITHIN_MS);
        expect(await read()).to.equal(200);
      });
    });
    expect([...answers.keys()].filter((answer) => answer.startsWith('5'))).to.deep.equal([]);
  });
});
