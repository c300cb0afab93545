import { randomUUID } from 'node:crypto';
import { expect } from 'chai';
import { createAccounts } from '../../engine/accounts/index.ts';
import { runSeed, seededRandom } from '../support/seeded-random.ts';
import { checkWhole, expectNothingDirty } from './check-whole.ts';
import { type FaultFixture, MINUTE_MS, openFaultFixture } from './fault-fixture.ts';
import { makeVictim } from './victim.ts';

/** More than the hours that turn, and than every limit that could outlast it by chance. */
const AHEAD_MS = 80 * MINUTE_MS;

const ignore = (): void => undefined;
const rethrow = (error: unknown): never => {
  throw error;
};

describe('clocks that are set back', function () {
  this.timeout(60_000);
  const seed = runSeed();
  let fixture: FaultFixture;

  before(async () => {
    fixture = await openFaultFixture(seededRandom(seed));
  });

  after(() => fixture.close());

  it('leave no lease that nobody else gets until then', async () => {
    const { world, survivor } = fixture;
    world.now += AHEAD_MS;
    // It dies holding the lease.
    await world.another().createCommitter(ignore, rethrow).tick();
    world.now -= AHEAD_MS;
    await fixture.submit(survivor);
    const next = world.another().createCommitter(ignore, rethrow);
    const before = fixture.reader.view().version;
    while (await next.tick());
    await next.close();
    await fixture.reader.refresh();
    expect(fixture.reader.view().version).to.be.above(before);
  });

  it('leave no list that is held until then', async () => {
    const { world, operators } = fixture;
    world.now += AHEAD_MS;
    const victim = makeVictim(world, { at: 'amend.prepared' });
    await victim.reachedBy(victim.engine.operators.amend(operators[0]!, { displayName: 'Never seen' }));
    world.now -= AHEAD_MS;
    await fixture.recover();
    await expectNothingDirty(fixture);
    // Hours that a board has turned do not come back: it is compared once they have come.
    world.now += AHEAD_MS;
    await fixture.recover();
    await checkWhole(fixture);
  });

  it('leave no group that is found only then', async () => {
    const { world, survivor } = fixture;
    world.now += AHEAD_MS;
    const entries = fixture.makeEntries(3);
    const batch = await fixture.append(survivor, entries);
    world.now -= AHEAD_MS;
    const found: string[] = [];
    await survivor.reconcileLog(async (undecided) => {
      found.push(undecided);
      await survivor.processBatch(undecided, await survivor.log.ofBatch(undecided));
    });
    expect(found).to.include(batch);
    world.now += AHEAD_MS;
    await fixture.recover();
    await checkWhole(fixture);
  });

  it('leave no token that a process lets in until then although it was revoked', async () => {
    const { connection } = fixture.world;
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
