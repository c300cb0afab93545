import { randomUUID } from 'node:crypto';
import { expect } from 'chai';
import { createAccounts } from '../../engine/accounts/index.ts';
import { runSeed, seededRandom } from '../support/seeded-random.ts';
import { checkWhole, expectNoLists } from './check-whole.ts';
import { type FaultField, MINUTE_MS, openFaultField } from './fault-field.ts';
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
  let field: FaultField;

  before(async () => {
    field = await openFaultField(seededRandom(seed));
  });

  after(() => field.close());

  it('leave no lease that nobody else gets until then', async () => {
    const { world, survivor } = field;
    world.now += AHEAD_MS;
    // It dies holding the lease.
    await world.another().createCommitter(ignore, rethrow).tick();
    world.now -= AHEAD_MS;
    await field.submit(survivor);
    const next = world.another().createCommitter(ignore, rethrow);
    const before = field.reader.view().version;
    while (await next.tick());
    await next.close();
    await field.reader.refresh();
    expect(field.reader.view().version).to.be.above(before);
  });

  it('leave no list that is held until then', async () => {
    const { world, operators } = field;
    world.now += AHEAD_MS;
    const victim = makeVictim(world, { at: 'amend.held' });
    await victim.reachedBy(victim.engine.operators.amend(operators[0]!, { displayName: 'Never seen' }));
    world.now -= AHEAD_MS;
    await field.recover();
    await expectNoLists(field);
    // Hours that a board has turned do not come back: it is compared once they have come.
    world.now += AHEAD_MS;
    await field.recover();
    await checkWhole(field);
  });

  it('leave no group that is found only then', async () => {
    const { world, survivor } = field;
    world.now += AHEAD_MS;
    const entries = field.makeEntries(3);
    const group = await field.append(survivor, entries);
    world.now -= AHEAD_MS;
    const found: string[] = [];
    await survivor.reconcileLog(async (undecided) => {
      found.push(undecided);
      await survivor.judgeGroup(undecided, await survivor.log.ofGroup(undecided));
    });
    expect(found).to.include(group);
    world.now += AHEAD_MS;
    await field.recover();
    await checkWhole(field);
  });

  it('leave no token that a process lets in until then although it was revoked', async () => {
    const { connection } = field.world;
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
