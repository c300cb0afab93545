import { expect } from 'chai';
import type { LogEntry } from '../../../../engine/ranking/index.ts';
import { openStores } from '../../../../engine/ranking/mongo/stores.ts';
import { countsOf } from '../../../../engine/ranking/read/window-scores.ts';
import { openRankingWorld, type RankingWorld } from '../../../support/ranking-world.ts';
import { openRepairField, type RepairField } from './repair-field.ts';

const DAY_MS = 86_400_000;
const MINUTE_MS = 60_000;
const RETAINED_DAYS = 100;
/** A round takes 1,000 entries: one group and a part of the next. */
const ENTRIES_A_GROUP = 600;

describe('retention of the log', function () {
  this.timeout(120_000);
  let field: RepairField;

  before(async () => {
    field = await openRepairField(25, 160, 23);
  });

  after(() => field.world.close());

  const log = () => field.world.connection.collection('snapshots');
  const older = () => ({ received_at: { $lt: new Date(field.world.now - (RETAINED_DAYS + 2) * DAY_MS) } });
  const younger = () => ({ received_at: { $gte: new Date(field.world.now - RETAINED_DAYS * DAY_MS) } });

  it('lets snapshots older than 100 days go, and totals can be told without them', async () => {
    const answers = await field.answers();
    const kept = await log().countDocuments(younger());
    const before = await log().countDocuments();
    expect(await log().countDocuments(older())).to.be.above(20);
    const gone = await field.ranking.repair.retainLog();
    expect(gone).to.be.above(20);
    expect(await log().countDocuments()).to.equal(before - gone);
    expect(await log().countDocuments(older())).to.equal(0);
    expect(await log().countDocuments(younger())).to.equal(kept);

    expect(await field.ranking.repair.verify()).to.deep.equal([]);
    for (const { operator } of field.owners) expect(await field.ranking.repair.refold(operator)).to.equal(true);
    await field.publish();
    expect(await field.answers()).to.deep.equal(answers);
  });

  it('finds nothing to do again, and goes on as time passes', async () => {
    expect(await field.ranking.repair.retainLog()).to.equal(0);
    field.world.now += 40 * DAY_MS;
    await field.publish();
    expect(await field.ranking.repair.retainLog()).to.be.above(0);
    expect(await field.ranking.repair.verify()).to.deep.equal([]);
  });

  it('runs in several processes at once', async () => {
    field.world.now += 15 * DAY_MS;
    await field.publish();
    const other = field.world.another({ deviceKeys: async () => field.keys });
    await Promise.all([field.ranking.repair.retainLog(), other.repair.retainLog()]);
    expect(await field.ranking.repair.verify()).to.deep.equal([]);
  });

  it('forgets verdicts with their last entry', async () => {
    const groups: string[] = await log().distinct('group');
    const verdicts: string[] = await field.world.connection.collection<{ _id: string }>('verdicts').distinct('_id');
    expect(verdicts).to.have.members(groups);
  });

  it('keeps what has no verdict', async () => {
    const [outcome] = await field.ranking.log.append([field.world.entry(field.owners[0]!.operator, { output: 3 })]);
    field.world.now += 120 * DAY_MS;
    await field.ranking.repair.retainLog();
    const group = outcome?.kind === 'stored' ? outcome.group : '';
    expect(await field.ranking.log.ofGroup(group)).to.have.length(1);
    const entries = await field.ranking.log.ofGroup(group);
    await field.ranking.judgeGroup(group, entries);
    await field.ranking.repair.retainLog();
    expect(await log().countDocuments()).to.equal(0);
    await field.publish();
    expect(await field.ranking.repair.verify()).to.deep.equal([]);
  });

  it('names a carry mark that was changed, and makes it anew from the marks', async () => {
    const [owner] = field.owners;
    const answers = await field.answers();
    const carries = field.world.connection.collection<{ _id: number }>('carries');
    await carries.updateOne({ _id: owner!.operator }, { $set: { 'facts.0.counts.1': 123_456_789 } });
    const findings = await field.ranking.repair.verify();
    expect(findings).to.deep.equal([
      {
        part: 'carry',
        name: `carry of ${owner!.operator}`,
        problem: 'has another checksum',
        operator: owner!.operator,
      },
    ]);
    await field.ranking.repair.repair(findings);
    await field.publish();
    expect(await field.ranking.repair.verify()).to.deep.equal([]);
    expect(await field.answers()).to.deep.equal(answers);
  });

  it('forgets the carry mark of an erased operator', async () => {
    const { operator } = field.owners[1]!;
    await field.ranking.operators.erase(operator);
    expect(
      await field.world.connection.collection<{ _id: number }>('carries').countDocuments({ _id: operator }),
    ).to.equal(0);
  });
});

describe('a carry mark', () => {
  let world: RankingWorld;
  let operator: number;

  beforeEach(async () => {
    world = await openRankingWorld();
    operator = await world.enrol('carried');
  });

  afterEach(() => world.close());

  async function append(output: number, asOf = world.now): Promise<[group: string, entries: LogEntry[]]> {
    const entry = world.entry(operator, { output }, { as_of: Math.floor(asOf / 1_000) });
    const [outcome] = await world.ranking.log.append([entry]);
    return [outcome?.kind === 'stored' ? outcome.group : '', [entry]];
  }

  /** The operator's output after its carry mark was damaged and repaired. */
  async function outputAfterRepair(): Promise<number> {
    await world.connection.collection('carries').updateOne({}, { $set: { checksum: 'damaged' } });
    await world.ranking.repair.repair(await world.ranking.repair.verify());
    const [summary] = await openStores(world.connection).operators.summaries([operator]);
    return countsOf(summary!.totals, 0).output;
  }

  it('that is made anew loses nothing that was received before midnight and is true for the day after', async () => {
    await world.ranking.judgeGroup(...(await append(3)));
    const midnight = Math.ceil(world.now / DAY_MS) * DAY_MS;
    world.now = midnight - MINUTE_MS;
    await world.ranking.judgeGroup(...(await append(77, midnight + MINUTE_MS)));
    world.now = midnight + RETAINED_DAYS * DAY_MS;
    expect(await world.ranking.repair.retainLog()).to.equal(1);
    expect(await outputAfterRepair()).to.equal(77);
  });

  it('that is made anew loses nothing after a process with a late clock added to it', async () => {
    const late = await append(3);
    world.now += DAY_MS;
    await world.ranking.judgeGroup(...(await append(77)));
    world.now += (RETAINED_DAYS + 1) * DAY_MS;
    expect(await world.ranking.repair.retainLog()).to.equal(1);
    await world.ranking.judgeGroup(...late);
    const behind = world.another({ clock: () => world.now - DAY_MS });
    expect(await behind.repair.retainLog()).to.equal(1);
    expect(await outputAfterRepair()).to.equal(77);
  });

  it('is not made of what comes to the log of an erased operator', async () => {
    await world.ranking.judgeGroup(...(await append(3)));
    await world.ranking.operators.erase(operator);
    await world.ranking.judgeGroup(...(await append(4)));
    world.now += (RETAINED_DAYS + 2) * DAY_MS;
    expect(await world.ranking.repair.retainLog()).to.equal(1);
    expect(await world.connection.collection('carries').countDocuments()).to.equal(0);
  });

  it('has what of a group is left to another round', async () => {
    for (let group = 0; group < 2; group++) {
      const entries = Array.from({ length: ENTRIES_A_GROUP }, (_, at) => world.entry(operator, { output: at }));
      const [outcome] = await world.ranking.log.append(entries);
      await world.ranking.judgeGroup(outcome?.kind === 'stored' ? outcome.group : '', entries);
      world.now += 1;
    }
    world.now += (RETAINED_DAYS + 2) * DAY_MS;
    expect(await world.ranking.repair.retainLog()).to.equal(2 * ENTRIES_A_GROUP);
    expect(await world.connection.collection('verdicts').countDocuments()).to.equal(0);
    expect(await outputAfterRepair()).to.equal(ENTRIES_A_GROUP - 1);
  });
});
