import { randomUUID } from 'node:crypto';
import { expect } from 'chai';
import { MINUTE_MS } from '../../config/units.ts';
import { createAccounts } from '../../engine/accounts/index.ts';
import { rethrow } from '../support/rethrow.ts';
import { runSeed, seededRandom } from '../support/seeded-random.ts';
import { useFixture } from '../support/use-fixture.ts';
import { checkConsistency, expectNothingDirty } from './check-consistency.ts';
import { openFaultFixture } from './fault-fixture.ts';
import { makeVictim } from './victim.ts';

/** More than an hour, and than every timeout involved. */
const AHEAD_MS = 80 * MINUTE_MS;

const ignore = (): void => undefined;
describe('clocks that are set back', () => {
  const seed = runSeed();
  const fixture = useFixture(() => openFaultFixture(seededRandom(seed)));

  it('leave no lease that blocks others until then', async () => {
    const { world, survivor } = fixture();
    world.now += AHEAD_MS;
    // It dies with the lease.
    await world.another().createCommitter(ignore, rethrow).tick();
    world.now -= AHEAD_MS;
    await fixture().submit(survivor);
    const next = world.another().createCommitter(ignore, rethrow);
    const before = fixture().reader.view().version;
    while (await next.tick());
    await next.close();
    await fixture().reader.refresh();
    expect(fixture().reader.view().version).to.be.above(before);
  });

  it('leave no write intent that is pending until then', async () => {
    const { world, operators } = fixture();
    world.now += AHEAD_MS;
    const victim = makeVictim(world, { at: 'amend.prepared' });
    await victim.reachedBy(victim.engine.operators.amend(operators[0]!, { displayName: 'Never seen' }));
    world.now -= AHEAD_MS;
    await fixture().recover();
    await expectNothingDirty(fixture());
    // A board's hour does not go back: compare it once the clock has reached it.
    world.now += AHEAD_MS;
    await fixture().recover();
    await checkConsistency(fixture());
  });

  it('leave no batch that is found only then', async () => {
    const { world, survivor } = fixture();
    world.now += AHEAD_MS;
    const entries = fixture().makeEntries(3);
    const batch = await fixture().append(survivor, entries);
    world.now -= AHEAD_MS;
    const found: string[] = [];
    await survivor.reconcileLog(async (undecided) => {
      found.push(undecided);
      await survivor.processBatch(undecided, await survivor.log.ofBatch(undecided));
    });
    expect(found).to.include(batch);
    world.now += AHEAD_MS;
    await fixture().recover();
    await checkConsistency(fixture());
  });

  it('leave no revoked token that a process accepts until then', async () => {
    const { connection } = fixture().world;
    const clocks = { here: Date.now() + AHEAD_MS, there: Date.now() };
    const here = createAccounts({ connection, clock: () => clocks.here });
    const there = createAccounts({ connection, clock: () => clocks.there });
    const token = { subject: randomUUID(), grant: null, issuedAt: clocks.there - MINUTE_MS };
    expect(await here.denials.denies(token)).to.equal(false);
    clocks.here -= AHEAD_MS;
    await there.denials.denySubject(token.subject);
    expect(await here.denials.denies(token)).to.equal(true);
  });
});
