import { expect } from 'chai';
import { eventually } from '../support/eventually.ts';
import { leaveOut } from '../support/leave-out.ts';
import { runSeed, seededRandom } from '../support/seeded-random.ts';
import { useFixture } from '../support/use-fixture.ts';
import { expectVerdictSoon, openFaultStage } from './fault-stage.ts';
import { canLackSpace, mongoLacksSpace, redisLacksSpace } from './lack-space.ts';
import type { Load } from './load.ts';

/** More than the concurrent senders, so that some snapshots were sent without space. */
const FURTHER = 16;

const canLack = await canLackSpace();

describe('a write that fails for lack of space', () => {
  if (!canLack) return leaveOut('prlimit', 'this machine does not have prlimit, a Linux program');
  const seed = runSeed();
  const stage = useFixture(openFaultStage);

  /** The status of a read. */
  async function read(): Promise<number> {
    return (await fetch(`${stage().service.baseUrl}/leaderboard`)).status;
  }

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
