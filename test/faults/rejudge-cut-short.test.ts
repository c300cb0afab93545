import { expect } from 'chai';
import { runSeed, seededRandom } from '../support/seeded-random.ts';
import { type FaultField, openFaultField, SECOND_MS } from './fault-field.ts';
import { makeVictim } from './victim.ts';

async function brokenLookup(): Promise<never> {
  throw new TypeError('a mistake of this release');
}

describe('judging again, cut short between record and list, by somebody who does not come again', function () {
  this.timeout(30_000);
  let field: FaultField;

  before(async () => {
    field = await openFaultField(seededRandom(runSeed()));
  });

  after(() => field.close());

  it('is listed by the healer', async () => {
    const { survivor, world } = field;
    const entries = field.makeEntries(1);
    const group = await field.append(survivor, entries);
    await world.another({ deviceKeys: brokenLookup }).judgeGroupApart(group, entries);
    const victim = makeVictim(world, { at: 'rejudge.folded' });
    await victim.reachedBy(victim.engine.rejudgePoisoned());
    world.now += 10 * SECOND_MS;
    expect(await survivor.healOperators()).to.equal(1);
  });
});
