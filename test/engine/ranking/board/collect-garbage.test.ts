import { expect } from 'chai';
import { MINUTE_MS } from '../../../../config/units.ts';
import type { FailpointName } from '../../../../engine/ranking/index.ts';
import { expectReferences } from '../../../faults/check-consistency.ts';
import { openFaultFixture } from '../../../faults/fault-fixture.ts';
import { makeVictim, type Victim } from '../../../faults/victim.ts';
import { committerOf } from '../../../support/open-engine.ts';
import { runSeed, seededRandom } from '../../../support/seeded-random.ts';
import { useFreshFixture } from '../../../support/use-fixture.ts';

describe('garbage collection of the board', () => {
  const seed = runSeed();
  const fixture = useFreshFixture(() => openFaultFixture(seededRandom(seed)));

  async function segments(): Promise<Set<string>> {
    const found = await fixture().world.connection.db!.collection<{ _id: string }>('board_segments').find().toArray();
    return new Set(found.map(({ _id }) => _id));
  }

  async function changed(): Promise<void> {
    await fixture().submit(fixture().survivor);
    await fixture().publish();
  }

  /** Collects garbage while a compaction is paused, and completes it. */
  async function collectDuring(at: FailpointName, meanwhile?: () => Promise<void>): Promise<Victim> {
    const victim = makeVictim(fixture().world, { at });
    const work = victim.engine.compactBoard();
    await victim.reachedBy(work);
    await meanwhile?.();
    fixture().world.now += 11 * MINUTE_MS;
    expect(await fixture().survivor.collectGarbage()).to.be.above(0);
    victim.wake();
    expect(await work).to.equal(true);
    return victim;
  }

  it(`makes a compaction whose base run it deleted start again, also when no other board was built (seed ${seed})`, async () => {
    await changed();
    const victim = await collectDuring('compact.pages_written');
    expect(victim.hits(), 'bases built').to.equal(2);
    await expectReferences(fixture());
  });

  it(`makes a compaction that has not read the deleted base run yet start again (seed ${seed})`, async () => {
    await changed();
    // The first base run of the hour is kept; this later one becomes garbage with the next.
    await fixture().survivor.compactBoard();
    await changed();
    await collectDuring('compact.state_read', async () => {
      await fixture().survivor.compactBoard();
      await changed();
    });
    await expectReferences(fixture());
  });

  it(`deletes pages that were written after their base run was deleted (seed ${seed})`, async () => {
    await changed();
    await collectDuring('compact.base_written');
    expect(await fixture().survivor.collectGarbage()).to.be.above(0);
    await expectReferences(fixture());
  });

  it(`keeps parts that a commit wrote a minute ago (seed ${seed})`, async () => {
    await changed();
    await fixture().survivor.compactBoard();
    await changed();
    await fixture().survivor.compactBoard();
    fixture().world.now += 11 * MINUTE_MS;
    await fixture().submit(fixture().survivor);
    const former = await segments();
    const victim = makeVictim(fixture().world, { at: 'commit.parts_written' });
    const committer = committerOf(victim.engine);
    const work = committer.tick();
    await victim.reachedBy(work);
    const written = [...(await segments())].filter((id) => !former.has(id));
    expect(written).to.have.length(1);
    fixture().world.now += MINUTE_MS;
    expect(await fixture().survivor.collectGarbage(), 'older parts').to.be.above(0);
    expect(await segments()).to.include(written[0]);
    victim.wake();
    await work;
    await committer.close();
  });

  it(`keeps the top entries of the board after the segment of their commit is deleted (seed ${seed})`, async () => {
    await changed();
    await fixture().survivor.compactBoard();
    fixture().world.now += 11 * MINUTE_MS;
    expect(await fixture().survivor.collectGarbage()).to.be.above(0);
    await expectReferences(fixture());
  });
});
