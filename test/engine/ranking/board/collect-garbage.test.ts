import { expect } from 'chai';
import { expectReferences } from '../../../faults/check-whole.ts';
import { type FaultFixture, MINUTE_MS, openFaultFixture } from '../../../faults/fault-fixture.ts';
import { makeVictim } from '../../../faults/victim.ts';
import { runSeed, seededRandom } from '../../../support/seeded-random.ts';

describe('a sweep of the board', function () {
  this.timeout(60_000);
  const seed = runSeed();
  let field: FaultFixture;

  beforeEach(async () => {
    field = await openFaultFixture(seededRandom(seed));
  });

  afterEach(() => field.close());

  async function segments(): Promise<Set<string>> {
    const found = await field.world.connection.db!.collection<{ _id: string }>('board_segments').find().toArray();
    return new Set(found.map(({ _id }) => _id));
  }

  async function changed(): Promise<void> {
    await field.submit(field.survivor);
    await field.publish();
  }

  it(`makes a compaction start over whose base it deleted, also when no other board was built (seed ${seed})`, async () => {
    await changed();
    const victim = makeVictim(field.world, { at: 'compact.pages_written' });
    const work = victim.engine.compactBoard();
    await victim.reachedBy(work);
    field.world.now += 11 * MINUTE_MS;
    expect(await field.survivor.collectGarbage()).to.be.above(0);
    victim.wake();
    expect(await work).to.equal(true);
    expect(victim.hits(), 'bases built').to.equal(2);
    await expectReferences(field);
  });

  it(`makes a compaction start over that has still to read the base it deleted (seed ${seed})`, async () => {
    await changed();
    // The board of the hour is kept; this later base of the hour is not, once there is another.
    await field.survivor.compactBoard();
    await changed();
    const victim = makeVictim(field.world, { at: 'compact.state_read' });
    const work = victim.engine.compactBoard();
    await victim.reachedBy(work);
    await field.survivor.compactBoard();
    await changed();
    field.world.now += 11 * MINUTE_MS;
    expect(await field.survivor.collectGarbage()).to.be.above(0);
    victim.wake();
    expect(await work).to.equal(true);
    await expectReferences(field);
  });

  it(`deletes pages that were written after their base was deleted (seed ${seed})`, async () => {
    await changed();
    const victim = makeVictim(field.world, { at: 'compact.base_written' });
    const work = victim.engine.compactBoard();
    await victim.reachedBy(work);
    field.world.now += 11 * MINUTE_MS;
    expect(await field.survivor.collectGarbage()).to.be.above(0);
    victim.wake();
    expect(await work).to.equal(true);
    expect(await field.survivor.collectGarbage()).to.be.above(0);
    await expectReferences(field);
  });

  it(`leaves parts alone that a commit wrote a minute ago (seed ${seed})`, async () => {
    await changed();
    await field.survivor.compactBoard();
    await changed();
    await field.survivor.compactBoard();
    field.world.now += 11 * MINUTE_MS;
    await field.submit(field.survivor);
    const former = await segments();
    const victim = makeVictim(field.world, { at: 'commit.parts_written' });
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
    field.world.now += MINUTE_MS;
    expect(await field.survivor.collectGarbage(), 'older parts').to.be.above(0);
    expect(await segments()).to.include(written[0]);
    victim.wake();
    await work;
    await committer.close();
  });

  it(`leaves the top entries of the board alone after the segment of their commit has gone (seed ${seed})`, async () => {
    await changed();
    await field.survivor.compactBoard();
    field.world.now += 11 * MINUTE_MS;
    expect(await field.survivor.collectGarbage()).to.be.above(0);
    await expectReferences(field);
  });
});
