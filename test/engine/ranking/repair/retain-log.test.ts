import { expect } from 'chai';
import { DAY_MS, MINUTE_MS } from '../../../../config/units.ts';
import type { LogEntry } from '../../../../engine/ranking/index.ts';
import { countsOf } from '../../../../engine/ranking/read/window-scores.ts';
import { openStores } from '../../../../engine/ranking/storage/stores.ts';
import { submitBatch } from '../../../support/open-engine.ts';
import { openRankingWorld } from '../../../support/ranking-world.ts';
import { useFixture, useFreshFixture } from '../../../support/use-fixture.ts';
import { openRepairFixture } from './repair-fixture.ts';

const RETAINED_DAYS = 100;
/** A round takes 1,000 entries: one batch and a part of the next. */
const ENTRIES_A_BATCH = 600;

describe('retention of the log', () => {
  const fixture = useFixture(() => openRepairFixture(25, 160, 23));

  const log = () => fixture().world.connection.collection('snapshots');
  const older = () => ({ received_at: { $lt: new Date(fixture().world.now - (RETAINED_DAYS + 2) * DAY_MS) } });
  const younger = () => ({ received_at: { $gte: new Date(fixture().world.now - RETAINED_DAYS * DAY_MS) } });

  it('deletes snapshots older than 100 days; the totals remain computable', async () => {
    const answers = await fixture().answers();
    const kept = await log().countDocuments(younger());
    const before = await log().countDocuments();
    expect(await log().countDocuments(older())).to.be.above(20);
    const gone = await fixture().ranking.repair.retainLog();
    expect(gone).to.be.above(20);
    expect(await log().countDocuments()).to.equal(before - gone);
    expect(await log().countDocuments(older())).to.equal(0);
    expect(await log().countDocuments(younger())).to.equal(kept);

    const counted = { older: { $ne: '' } };
    expect(await fixture().world.connection.collection('operators').countDocuments(counted)).to.be.above(0);
    expect(await fixture().ranking.repair.verify()).to.deep.equal([]);
    for (const { operator } of fixture().owners)
      expect(await fixture().ranking.repair.recompute(operator)).to.equal(true);
    await fixture().publish();
    expect(await fixture().answers()).to.deep.equal(answers);
  });

  it('finds nothing when repeated, and continues as time passes', async () => {
    expect(await fixture().ranking.repair.retainLog()).to.equal(0);
    fixture().world.now += 40 * DAY_MS;
    await fixture().publish();
    expect(await fixture().ranking.repair.retainLog()).to.be.above(0);
    const rolledUp = await fixture().world.connection.collection('rollups').find().toArray();
    const days = rolledUp.flatMap((each) => each['older']);
    expect(days, 'days of receipt').to.not.be.empty;
    expect(await fixture().ranking.repair.verify()).to.deep.equal([]);
  });

  it('runs in several processes concurrently', async () => {
    fixture().world.now += 15 * DAY_MS;
    await fixture().publish();
    const other = fixture().world.another({ deviceKeys: async () => fixture().keys });
    await Promise.all([fixture().ranking.repair.retainLog(), other.repair.retainLog()]);
    expect(await fixture().ranking.repair.verify()).to.deep.equal([]);
  });

  it('removes verdicts with their last entry', async () => {
    const batches: string[] = await log().distinct('batch');
    const verdicts: string[] = await fixture().world.connection.collection<{ _id: string }>('verdicts').distinct('_id');
    expect(verdicts).to.have.members(batches);
  });

  it('keeps undecided entries', async () => {
    const [outcome] = await fixture().ranking.log.append([
      fixture().world.entry(fixture().owners[0]!.operator, { output: 3 }),
    ]);
    fixture().world.now += 120 * DAY_MS;
    await fixture().ranking.repair.retainLog();
    const batch = outcome?.kind === 'stored' ? outcome.batch : '';
    expect(await fixture().ranking.log.ofBatch(batch)).to.have.length(1);
    const entries = await fixture().ranking.log.ofBatch(batch);
    await fixture().ranking.processBatch(batch, entries);
    await fixture().ranking.repair.retainLog();
    expect(await log().countDocuments()).to.equal(0);
    await fixture().publish();
    expect(await fixture().ranking.repair.verify()).to.deep.equal([]);
  });

  it('reports a damaged rollup, and rebuilds it from the samples', async () => {
    const [owner] = fixture().owners;
    const answers = await fixture().answers();
    const rollups = fixture().world.connection.collection<{ _id: number }>('rollups');
    await rollups.updateOne({ _id: owner!.operator }, { $set: { 'facts.0.counts.1': 123_456_789 } });
    const findings = await fixture().ranking.repair.verify();
    expect(findings).to.deep.equal([
      {
        part: 'rollup',
        name: `rollup of ${owner!.operator}`,
        problem: 'has a wrong checksum',
        operator: owner!.operator,
      },
    ]);
    await fixture().ranking.repair.repair(findings);
    await fixture().publish();
    expect(await fixture().ranking.repair.verify()).to.deep.equal([]);
    expect(await fixture().answers()).to.deep.equal(answers);
  });

  it('removes the rollup of an erased operator', async () => {
    const { operator } = fixture().owners[1]!;
    await fixture().ranking.operators.erase(operator);
    expect(
      await fixture().world.connection.collection<{ _id: number }>('rollups').countDocuments({ _id: operator }),
    ).to.equal(0);
  });
});

describe('a rollup', () => {
  const world = useFreshFixture(openRankingWorld);
  const operator = useFreshFixture(() => world().enrol('carried'));

  async function append(output: number, asOf = world().now): Promise<[batch: string, entries: LogEntry[]]> {
    const entry = world().entry(operator(), { output }, { as_of: Math.floor(asOf / 1_000) });
    const [outcome] = await world().ranking.log.append([entry]);
    return [outcome?.kind === 'stored' ? outcome.batch : '', [entry]];
  }

  /** The operator's output after its rollup was damaged and repaired. */
  async function outputAfterRepair(): Promise<number> {
    await world()
      .connection.collection('rollups')
      .updateOne({}, { $set: { checksum: 'damaged' } });
    await world().ranking.repair.repair(await world().ranking.repair.verify());
    const [summary] = await openStores(world().connection).operators.summaries([operator()]);
    return countsOf(summary!.totals, 0).output;
  }

  it('is made of a snapshot when the day in which it was received is over for a hundred days', async () => {
    await world().ranking.processBatch(...(await append(3)));
    const midnight = Math.ceil(world().now / DAY_MS) * DAY_MS + RETAINED_DAYS * DAY_MS;
    world().now = midnight - 1;
    expect(await world().ranking.repair.retainLog()).to.equal(0);
    world().now = midnight;
    expect(await world().ranking.repair.retainLog()).to.equal(1);
  });

  it('that is rebuilt keeps snapshots received before midnight with times on the next day', async () => {
    await world().ranking.processBatch(...(await append(3)));
    const midnight = Math.ceil(world().now / DAY_MS) * DAY_MS;
    world().now = midnight - MINUTE_MS;
    await world().ranking.processBatch(...(await append(77, midnight + MINUTE_MS)));
    world().now = midnight + RETAINED_DAYS * DAY_MS;
    expect(await world().ranking.repair.retainLog()).to.equal(1);
    expect(await outputAfterRepair()).to.equal(77);
  });

  it('that is rebuilt loses nothing after a process with a late clock added to it', async () => {
    const late = await append(3);
    world().now += DAY_MS;
    await world().ranking.processBatch(...(await append(77)));
    world().now += (RETAINED_DAYS + 1) * DAY_MS;
    expect(await world().ranking.repair.retainLog()).to.equal(1);
    await world().ranking.processBatch(...late);
    const behind = world().another({ clock: () => world().now - DAY_MS });
    expect(await behind.repair.retainLog()).to.equal(1);
    expect(await outputAfterRepair()).to.equal(77);
  });

  it('includes its snapshots before they leave the log', async () => {
    await world().ranking.processBatch(...(await append(3)));
    world().now += (RETAINED_DAYS + 2) * DAY_MS;
    expect(await world().ranking.repair.retainLog()).to.equal(1);
    await world().ranking.processBatch(...(await append(77)));
    world().now += (RETAINED_DAYS + 2) * DAY_MS;
    await world()
      .connection.collection('rollups')
      .updateOne({}, { $set: { checksum: 'damaged' } });
    expect(await world().ranking.repair.retainLog().catch(String)).to.match(/^DamagedRollupError/);
    expect(await world().connection.collection('snapshots').countDocuments()).to.equal(1);
  });

  it('is not created from entries logged after an erasure', async () => {
    await world().ranking.processBatch(...(await append(3)));
    await world().ranking.operators.erase(operator());
    await world().ranking.processBatch(...(await append(4)));
    world().now += (RETAINED_DAYS + 2) * DAY_MS;
    expect(await world().ranking.repair.retainLog()).to.equal(1);
    expect(await world().connection.collection('rollups').countDocuments()).to.equal(0);
  });

  it('is not created from an accepted entry that an erasure missed', async () => {
    await world().ranking.processBatch(...(await append(3)));
    const log = world().connection.collection('snapshots');
    const missed = await log.find().toArray();
    await world().ranking.operators.erase(operator());
    await log.insertMany(missed);
    world().now += (RETAINED_DAYS + 2) * DAY_MS;
    expect(await world().ranking.repair.retainLog()).to.equal(1);
    expect(await world().connection.collection('rollups').countDocuments()).to.equal(0);
  });

  it('includes the part of a batch that a later round takes', async () => {
    for (let batch = 0; batch < 2; batch++) {
      const entries = Array.from({ length: ENTRIES_A_BATCH }, (_, at) => world().entry(operator(), { output: at }));
      await submitBatch(world().ranking, entries);
      world().now += 1;
    }
    world().now += (RETAINED_DAYS + 2) * DAY_MS;
    expect(await world().ranking.repair.retainLog()).to.equal(2 * ENTRIES_A_BATCH);
    expect(await world().connection.collection('verdicts').countDocuments()).to.equal(0);
    expect(await outputAfterRepair()).to.equal(ENTRIES_A_BATCH - 1);
  });
});
