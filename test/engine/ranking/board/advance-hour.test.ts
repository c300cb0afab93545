import { expect } from 'chai';
import { HOUR_MS, MS_PER_SECOND } from '../../../../config/units.ts';
import { checkConsistency } from '../../../faults/check-consistency.ts';
import { openFaultFixture } from '../../../faults/fault-fixture.ts';
import { toNextDueHour } from '../../../faults/operations.ts';
import { makeVictim } from '../../../faults/victim.ts';
import { importedOperator } from '../../../support/imported-operator.ts';
import { openRankingWorld } from '../../../support/ranking-world.ts';
import { runSeed, seededRandom } from '../../../support/seeded-random.ts';
import { useFreshFixture } from '../../../support/use-fixture.ts';

const HOURS_7D = 168;
/** Operators moved by one round. */
const OPERATORS_A_ROUND = 500;

describe("the board's hour", () => {
  const seed = runSeed();
  const fixture = useFreshFixture(() => openFaultFixture(seededRandom(seed)));

  async function boardHour(): Promise<number | undefined> {
    const manifests = fixture().world.connection.db!.collection<{ _id: string; hour: number }>('board_manifests');
    return (await manifests.findOne({ _id: 'manifest' }))?.hour;
  }

  const clockHour = (): number => Math.floor(fixture().world.now / HOUR_MS);

  it(`does not advance while an operator is due for the next hour (seed ${seed})`, async () => {
    const before = await boardHour();
    await toNextDueHour(fixture());
    expect(clockHour()).to.be.above(before!);
    await fixture().publish();
    expect(await boardHour()).to.equal(before);
    await fixture().survivor.advanceHour();
    await fixture().publish();
    expect(await boardHour()).to.equal(clockHour());
  });

  it(`does not advance while a write intent is pending (seed ${seed})`, async () => {
    const before = await boardHour();
    await toNextDueHour(fixture());
    const victim = makeVictim(fixture().world, { at: 'advance.written' });
    const work = victim.engine.advanceHour();
    await victim.reachedBy(work);
    // Another process commits only intents older than half a minute.
    fixture().world.now += 29 * MS_PER_SECOND;
    await fixture().survivor.advanceHour();
    await fixture().publish();
    expect(await boardHour()).to.equal(before);
    victim.wake();
    await work;
    await fixture().publish();
    expect(await boardHour()).to.equal(clockHour());
  });

  it(`advances with all changes of a process that died after writing them (seed ${seed})`, async () => {
    await toNextDueHour(fixture());
    const victim = makeVictim(fixture().world, { at: 'advance.written' });
    await victim.reachedBy(victim.engine.advanceHour());
    // Past the time after which an intent counts as abandoned. Without reconciliation, which compares records.
    fixture().world.now += 40 * MS_PER_SECOND;
    await fixture().survivor.advanceHour();
    await fixture().publish();
    await fixture().publish();
    await fixture().reader.refresh();
    expect(await boardHour()).to.equal(clockHour());
    await checkConsistency(fixture());
  });

  it(`has a write intent for every due operator before their records change (seed ${seed})`, async () => {
    await toNextDueHour(fixture());
    const dirtySets = fixture().world.connection.db!.collection<{ operators: number[] }>('dirty_sets');
    const victim = makeVictim(fixture().world, { at: 'batch.loaded' });
    await victim.reachedBy(victim.engine.advanceHour());
    const announced = (await dirtySets.find().toArray()).flatMap(({ operators }) => operators);
    const due = await fixture()
      .world.connection.db!.collection<{ _id: number; next_due: number | null }>('operators')
      .find({ next_due: { $ne: null, $lte: clockHour() } })
      .toArray();
    expect(due.length).to.be.above(0);
    expect(announced).to.include.members(due.map(({ _id }) => _id));
    fixture().world.now += 40 * MS_PER_SECOND;
    await fixture().recover();
  });
});

describe('the advance to an hour', () => {
  it('moves all operators who are due, and reports how many', async () => {
    const world = await openRankingWorld();
    const counts = { input: 1, output: 2, cache_read: 3, cache_write: 4 };
    const operators = Array.from({ length: OPERATORS_A_ROUND + 1 }, (_, index) => `due-${index}`);
    await world.ranking.operators.import(operators.map((codename) => importedOperator(codename, world.now, counts)));
    world.now += (HOURS_7D + 1) * HOUR_MS;
    expect(await world.ranking.advanceHour()).to.equal(OPERATORS_A_ROUND + 1);
    expect(await world.ranking.advanceHour()).to.equal(0);
    await world.close();
  });
});
