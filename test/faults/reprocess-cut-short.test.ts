import { expect } from 'chai';
import { MS_PER_SECOND } from '../../config/units.ts';
import { runSeed, seededRandom } from '../support/seeded-random.ts';
import { useFixture } from '../support/use-fixture.ts';
import { openFaultFixture } from './fault-fixture.ts';
import { makeVictim } from './victim.ts';

async function brokenLookup(): Promise<never> {
  throw new TypeError('a mistake of this release');
}

describe('reprocessing by a process that dies between the record and marking it dirty', () => {
  const fixture = useFixture(() => openFaultFixture(seededRandom(runSeed())));

  it('is found by reconciliation', async () => {
    const { survivor, world } = fixture();
    const entries = fixture().makeEntries(1);
    const batch = await fixture().append(survivor, entries);
    await world.another({ deviceKeys: brokenLookup }).processBatchByEntry(batch, entries);
    // Enrolments are amendments too: let reconciliation pass them first.
    for (let scan = 0; scan < 2; scan += 1) {
      world.now += 600 * MS_PER_SECOND;
      await survivor.reconcileOperators();
      await fixture().publish();
    }
    expect(await survivor.reconcileOperators()).to.equal(0);
    const victim = makeVictim(world, { at: 'reprocess.applied' });
    await victim.reachedBy(victim.engine.reprocessPoisoned());
    world.now += 10 * MS_PER_SECOND;
    expect(await survivor.reconcileOperators()).to.equal(1);
  });
});
