import { expect } from 'chai';
import { openRepairField, type RepairField } from './repair-field.ts';

const DAY_MS = 86_400_000;
const RETAINED_DAYS = 100;

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
