import { expect } from 'chai';
import { MINUTE_MS } from '../../../../config/units.ts';
import { expectReferences } from '../../../faults/check-consistency.ts';
import { type FaultFixture, openFaultFixture } from '../../../faults/fault-fixture.ts';
import { makeVictim } from '../../../faults/victim.ts';
import { runSeed, seededRandom } from '../../../support/seeded-random.ts';

describe('garbage collection of the board', () => {
  const seed = runSeed();
  let fixture: FaultFixture;

  beforeEach(async () => {
    fixture = await openFaultFixture(seededRandom(seed));
  });

  afterEach(() => fixture.close());

  async function segments(): Promise<Set<string>> {
    const found = await fixture.world.connection.db!.collection<{ _id: string }>('board_segments').find().toArray();
    return new Set(found.map(({ _id }) => _id));
  }

  async function changed(): Promise<void> {
    await fixture.submit(fixture.survivor);
    await fixture.publish();
  }

  it(`makes a compaction whose base run it deleted start again, also when no other board was built (seed ${seed})`, async () => {
    await changed();
    const victim = makeVictim(fixture.world, { at: 'compact.pages_written' });
    const work = victim.engine.compactBoard();
    await victim.reachedBy(work);
    fixture.world.now += 11 * MINUTE_MS;
    expect(await fixture.survivor.collectGarbage()).to.be.above(0);
    victim.wake();
    expect(await work).to.equal(true);
    expect(victim.hits(), 'bases built').to.equal(2);
    await expectReferences(fixture);
  });

  it(`makes a compaction that has not read the deleted base run yet start again (seed ${seed})`, async () => {
    await changed();
    // The first base run of the hour is kept; this later one becomes garbage with the next.
    await fixture.survivor.compactBoard();
    await changed();
    const victim = makeVictim(fixture.world, { at: 'compact.state_read' });
    const work = victim.engine.compactBoard();
    await victim.reachedBy(work);
    await fixture.survivor.compactBoard();
    await changed();
    fixture.world.now += 11 * MINUTE_MS;
    expect(await fixture.survivor.collectGarbage()).to.be.above(0);
    victim.wake();
    expect(await work).to.equal(true);
    await expectReferences(fixture);
  });

  it(`deletes pages that were written after their base run was deleted (seed ${seed})`, async () => {
    await changed();
    const victim = makeVictim(fixture.world, { at: 'compact.base_written' });
    const work = victim.engine.compactBoard();
    await victim.reachedBy(work);
    fixture.world.now += 11 * MINUTE_MS;
    expect(await fixture.survivor.collectGarbage()).to.be.above(0);
    victim.wake();
    expect(await work).to.equal(true);
    expect(await fixture.survivor.collectGarbage()).to.be.above(0);
    await expectReferences(fixture);
  });

  it(`keeps parts that a commit wrote a minute ago (seed ${seed})`, async () => {
    await changed();
    await fixture.survivor.compactBoard();
    await changed();
    await fixture.survivor.compactBoard();
    fixture.world.now += 11 * MINUTE_MS;
    await fixture.submit(fixture.survivor);
    const former = await segments();
    const victim = makeVictim(fixture.world, { at: 'commit.parts_written' });
    const committer = victim.engine.createCommitter(
      () => undefined,
      (error) => {
        throw error;
      },
    );
    const work = committer.tick();
    await victim.reachedBy(work);
    const written = [...(await segments())].filter((id) => !former.has(id));
    expect(written).to.have.length(1);
    fixture.world.now += MINUTE_MS;
    expect(await fixture.survivor.collectGarbage(), 'older parts').to.be.above(0);
    expect(await segments()).to.include(written[0]);
    victim.wake();
    await work;
    await committer.close();
  });

  it(`keeps the top entries of the board after the segment of their commit is deleted (seed ${seed})`, async () => {
    await changed();
    await fixture.survivor.compactBoard();
    fixture.world.now += 11 * MINUTE_MS;
    expect(await fixture.survivor.collectGarbage()).to.be.above(0);
    await expectReferences(fixture);
  });
});
