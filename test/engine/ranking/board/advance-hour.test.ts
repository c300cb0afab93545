import { expect } from 'chai';
import { checkWhole } from '../../../faults/check-whole.ts';
import { type FaultFixture, HOUR_MS, openFaultFixture, SECOND_MS } from '../../../faults/fault-fixture.ts';
import { toNextDueHour } from '../../../faults/operations.ts';
import { makeVictim } from '../../../faults/victim.ts';
import { openRankingWorld } from '../../../support/ranking-world.ts';
import { runSeed, seededRandom } from '../../../support/seeded-random.ts';

const HOURS_7D = 168;
/** Operators moved by one round. */
const OPERATORS_A_ROUND = 500;

describe("the board's hour", function () {
  this.timeout(60_000);
  const seed = runSeed();
  let field: FaultFixture;

  beforeEach(async () => {
    field = await openFaultFixture(seededRandom(seed));
  });

  afterEach(() => field.close());

  async function boardHour(): Promise<number | undefined> {
    const manifests = field.world.connection.db!.collection<{ _id: string; hour: number }>('board_manifests');
    return (await manifests.findOne({ _id: 'manifest' }))?.hour;
  }

  const clockHour = (): number => Math.floor(field.world.now / HOUR_MS);

  it(`stays while the totals of an operator have to move for the next one (seed ${seed})`, async () => {
    const before = await boardHour();
    await toNextDueHour(field);
    expect(clockHour()).to.be.above(before!);
    await field.publish();
    expect(await boardHour()).to.equal(before);
    await field.survivor.advanceHour();
    await field.publish();
    expect(await boardHour()).to.equal(clockHour());
  });

  it(`stays while a write is announced whose outcome is not known (seed ${seed})`, async () => {
    const before = await boardHour();
    await toNextDueHour(field);
    const victim = makeVictim(field.world, { at: 'advance.written' });
    const work = victim.engine.advanceHour();
    await victim.reachedBy(work);
    // Another process releases only what was announced half a minute ago.
    field.world.now += 29 * SECOND_MS;
    await field.survivor.advanceHour();
    await field.publish();
    expect(await boardHour()).to.equal(before);
    victim.wake();
    await work;
    await field.publish();
    expect(await boardHour()).to.equal(clockHour());
  });

  it(`is reached with all operators whose records moved for it, although the process that moved them died (seed ${seed})`, async () => {
    await toNextDueHour(field);
    const victim = makeVictim(field.world, { at: 'advance.written' });
    await victim.reachedBy(victim.engine.advanceHour());
    // Past the time after which the announcement of a dead process is released. Without the healer, which looks at records.
    field.world.now += 40 * SECOND_MS;
    await field.survivor.advanceHour();
    await field.publish();
    await field.publish();
    await field.reader.refresh();
    expect(await boardHour()).to.equal(clockHour());
    await checkWhole(field);
  });

  it(`is announced for an operator before its record moves (seed ${seed})`, async () => {
    await toNextDueHour(field);
    const lists = field.world.connection.db!.collection<{ operators: number[] }>('dirty_sets');
    const victim = makeVictim(field.world, { at: 'batch.loaded' });
    await victim.reachedBy(victim.engine.advanceHour());
    const announced = (await lists.find().toArray()).flatMap(({ operators }) => operators);
    const due = await field.world.connection
      .db!.collection<{ _id: number; next_due: number | null }>('operators')
      .find({ next_due: { $ne: null, $lte: clockHour() } })
      .toArray();
    expect(due.length).to.be.above(0);
    expect(announced).to.include.members(due.map(({ _id }) => _id));
    field.world.now += 40 * SECOND_MS;
    await field.recover();
  });
});

describe('the advance to an hour', () => {
  it('moves all operators who are due, and reports how many', async () => {
    const world = await openRankingWorld();
    const counts = { input: 1, output: 2, cache_read: 3, cache_write: 4 };
    const usage = [{ ledger: 'ledger-one', platform: 'codex-cli', epoch: 0, asOf: world.now, counts }];
    const operators = Array.from({ length: OPERATORS_A_ROUND + 1 }, (_, index) => `due-${index}`);
    await world.ranking.operators.import(operators.map((codename) => ({ codename, displayName: null, usage })));
    world.now += (HOURS_7D + 1) * HOUR_MS;
    expect(await world.ranking.advanceHour()).to.equal(OPERATORS_A_ROUND + 1);
    expect(await world.ranking.advanceHour()).to.equal(0);
    await world.close();
  });
});
