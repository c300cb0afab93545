import { expect } from 'chai';
import { DAY_MS, MINUTE_MS } from '../../../../../config/units.ts';
import type { FailpointName, Ranking } from '../../../../../engine/ranking/index.ts';
import { checkConsistency } from '../../../../faults/check-consistency.ts';
import { openFaultFixture } from '../../../../faults/fault-fixture.ts';
import { toNextDueHour } from '../../../../faults/operations.ts';
import { makeVictim, type Victim } from '../../../../faults/victim.ts';
import { entriesOn } from '../../../../support/board-entries.ts';
import { type InlineJobs, inlineJobs } from '../../../../support/inline-jobs.ts';
import { runSeed, seededRandom } from '../../../../support/seeded-random.ts';
import type { TestPayload } from '../../../../support/signing.ts';
import { useFreshFixture } from '../../../../support/use-fixture.ts';

const RANGES = { rangeOperators: 4 };
/** Few tokens rank an operator under methodology 1, and do not make it eligible under 2. */
const FEW = { input: 10, output: 10, cache_read: 10 };
const MANY = { input: 100, output: 100_000, cache_read: 100_000, cache_write: 20_000 };

describe('a change of the methodology', () => {
  const seed = runSeed();
  const fixture = useFreshFixture(() => openFaultFixture(seededRandom(seed)));
  let engine: Ranking;
  let jobs: InlineJobs;

  beforeEach(async () => {
    engine = fixture().world.another(RANGES);
    jobs = inlineJobs();
    // Totals that methodology 2 ranks, and totals that it does not.
    await fixture().submit(fixture().survivor, 40);
    await fixture().publish();
  });

  async function methodology(): Promise<number> {
    return (await engine.rerank.status()).methodology;
  }

  /** Publishes the dirty sets, without reconciliation, which would hide changes that a re-rank missed. */
  async function publishOnly(): Promise<void> {
    await fixture().publish();
    await fixture().publish();
    await fixture().reader.refresh();
  }

  /** Checks all invariants under the methodology of the board. */
  async function expectConsistent(expected: number): Promise<void> {
    expect(await methodology()).to.equal(expected);
    await publishOnly();
    await checkConsistency(fixture());
  }

  /** Whether an operator is on the board itself: a profile is ranked from its record. */
  async function isOnBoard(codename: string): Promise<boolean> {
    return (await entriesOn(fixture().reader, 'all_time', 0, 100)).some((entry) => entry.codename === codename);
  }

  /**
   * Publishes a new operator. It is not among the top entries that are compared with records, so that only the catch-up log
   * has it.
   */
  async function submitNew(codename: string, counts: Partial<TestPayload>): Promise<void> {
    const entries = [fixture().world.entry(await fixture().world.enrol(codename), counts)];
    await fixture().survivor.processBatch(await fixture().append(fixture().survivor, entries), entries);
    await publishOnly();
  }

  async function begin(kind: 'activate' | 'preview' = 'activate', to = 2): Promise<string> {
    const started = await engine.rerank.start({ kind, methodology: to });
    if (started.kind !== 'started') throw new Error(`start returned ${started.kind}`);
    await engine.rerank.supervise(jobs);
    return started.run;
  }

  async function activate(to = 2): Promise<void> {
    await begin('activate', to);
    await jobs.work(engine);
  }

  it(`publishes the boards of the new methodology (seed ${seed})`, async () => {
    const ranked = (await fixture().model(1))[0]!.total;
    await activate();
    await expectConsistent(2);
    const after = (await fixture().model(2))[0]!.total;
    expect(after).to.be.within(1, ranked - 1);
    const status = await engine.rerank.status();
    expect(status.underWay).to.equal(null);
    expect(status.ended[0]).to.include({ kind: 'activate', state: 'switched', from: 1, methodology: 2, error: null });
  });

  it('includes submissions and hours that advance while it runs', async () => {
    const run = await begin();
    const [flow] = jobs.flows.splice(0);
    for (const range of flow!.ranges) {
      await engine.rerank.scoreRange(run, range);
      await fixture().submit(fixture().survivor, 4);
      await fixture().publish();
    }
    await toNextDueHour(fixture());
    await fixture().recover();
    await fixture().survivor.compactBoard();
    // A change in a dirty set that no commit took yet, a new codename and a suspension.
    await fixture().submit(fixture().survivor, 4);
    await fixture().survivor.operators.amend(fixture().operators[0]!, { codename: 'another-name' });
    await fixture().survivor.operators.amend(fixture().operators[1]!, { listed: false });
    expect(await engine.rerank.finish(run)).to.equal('switched');
    await expectConsistent(2);
  });

  it('includes a commit that is published while the switch reads the catch-up log', async () => {
    // The first read of the catch-up log is the last round before the switch, the second that of the switch.
    const victim = makeVictim(fixture().world, { at: 'rerank.catch_up_read', nth: 2 }, RANGES);
    const run = await begin();
    for (const range of jobs.flows.splice(0)[0]!.ranges) await engine.rerank.scoreRange(run, range);
    const work = victim.engine.rerank.finish(run);
    await victim.reachedBy(work);
    await submitNew('newcomer', MANY);
    victim.wake();
    expect(await work).to.equal('switched');
    await publishOnly();
    expect(await isOnBoard('newcomer')).to.equal(true);
  });

  for (const [what, counts, point, change] of [
    ['includes', MANY, 'rerank.top_entries_written', activate],
    ['is rolled back with', FEW, 'rollback.top_entries_written', () => engine.rerank.rollBack()],
  ] as const) {
    it(`${what} changes that were caught up before a commit won the race`, async () => {
      if (change !== activate) await activate();
      const names = ['first-newcomer', 'second-newcomer'];
      const coming = new Map<FailpointName, string>([
        ['rerank.base_recorded', names[0]!],
        [point, names[1]!],
      ]);
      if (change !== activate) await submitNew(names[0]!, counts);
      engine = fixture().world.another({
        ...RANGES,
        async failpoint(failpointName) {
          const name = coming.get(failpointName);
          if (name !== undefined && coming.delete(failpointName)) await submitNew(name, counts);
        },
      });
      await change();
      await publishOnly();
      for (const name of names) expect(await isOnBoard(name), name).to.equal(true);
    });
  }

  it('is finished by one of two processes: garbage collection deletes the base run of the other, which gives up', async () => {
    const run = await begin();
    for (const range of jobs.flows.splice(0)[0]!.ranges) await engine.rerank.scoreRange(run, range);
    const [former, latter] = [1, 2].map(() => makeVictim(fixture().world, { at: 'rerank.pages_written' }, RANGES));
    const finish = async ({ engine: victimEngine, reachedBy }: Victim): Promise<{ work: Promise<string> }> => {
      const work = victimEngine.rerank.finish(run);
      await reachedBy(work);
      return { work };
    };
    const [one, other] = [await finish(former!), await finish(latter!)];
    fixture().world.now += 11 * MINUTE_MS;
    expect(await fixture().survivor.collectGarbage()).to.be.above(0);
    former!.wake();
    expect(await one.work).to.equal('gone');
    latter!.wake();
    expect(await other.work).to.equal('switched');
    await expectConsistent(2);
  });

  it('is rolled back with changes from before another run that was cancelled', async () => {
    await activate();
    await submitNew('newcomer', FEW);
    await begin('preview', 1);
    await engine.rerank.supervise(jobs);
    await engine.rerank.cancel();
    await engine.rerank.supervise(jobs);
    expect(await engine.rerank.rollBack()).to.include({ kind: 'rolled_back', to: 1 });
    await publishOnly();
    expect(await isOnBoard('newcomer')).to.equal(true);
  });

  it('includes a change that matters only under the new methodology', async () => {
    // More cache_write changes no Yield under methodology 1, and makes the operator eligible under 2.
    const operator = await fixture().world.enrol('writer');
    const send = async (cacheWrite: number): Promise<void> => {
      const counts = { input: 100, output: 100, cache_read: 100, cache_write: cacheWrite };
      const asOf = Math.floor(fixture().world.now / 1_000);
      const entries = [fixture().world.entry(operator, counts, { as_of: asOf, stream: 'ledger-one' })];
      const batch = await fixture().append(fixture().survivor, entries);
      await fixture().survivor.processBatch(batch, entries);
      await fixture().publish();
    };
    await send(100);
    const run = await begin();
    for (const range of jobs.flows.splice(0)[0]!.ranges) await engine.rerank.scoreRange(run, range);
    await send(20_000);
    await engine.rerank.finish(run);
    await publishOnly();
    expect(await isOnBoard('writer')).to.equal(true);
  });

  it('is rolled back with a change that matters only under the former methodology', async () => {
    await activate();
    await submitNew('newcomer', FEW);
    expect(await isOnBoard('newcomer')).to.equal(false);
    await engine.rerank.rollBack();
    await publishOnly();
    expect(await isOnBoard('newcomer')).to.equal(true);
  });

  it('is rolled back immediately, with the changes since', async () => {
    await activate();
    await fixture().recover();
    for (let round = 0; round < 4; round++) {
      await fixture().submit(fixture().survivor, 5);
      await fixture().publish();
    }
    await toNextDueHour(fixture());
    await fixture().recover();
    await fixture().survivor.compactBoard();
    fixture().world.now += 11 * MINUTE_MS;
    await fixture().survivor.collectGarbage();
    await fixture().submit(fixture().survivor, 5);
    const rolledBack = await engine.rerank.rollBack();
    expect(rolledBack).to.include({ kind: 'rolled_back', from: 2, to: 1 });
    await expectConsistent(1);
    expect(await engine.rerank.rollBack()).to.deep.equal({ kind: 'nothing' });
    // Another run activates the methodology again.
    await activate();
    await expectConsistent(2);
  });

  it('is not rolled back by a process that stalled while others rolled back and activated it again', async () => {
    await activate();
    const slow = makeVictim(fixture().world, { at: 'rollback.top_entries_written' }, RANGES);
    const work = slow.engine.rerank.rollBack();
    await slow.reachedBy(work);
    expect(await engine.rerank.rollBack()).to.include({ kind: 'rolled_back', to: 1 });
    await activate();
    slow.wake();
    expect(await work).to.deep.equal({ kind: 'nothing' });
    await expectConsistent(2);
  });

  it('can be rolled back for seven days, then only by another run', async () => {
    await activate();
    const until = (await engine.rerank.status()).rollback?.until;
    expect(until).to.equal(fixture().world.now + 7 * DAY_MS);
    fixture().world.now += 7 * DAY_MS;
    expect(await engine.rerank.rollBack()).to.deep.equal({ kind: 'nothing' });
    expect((await engine.rerank.status()).rollback).to.equal(null);
    await engine.rerank.supervise(jobs);
    await fixture().recover();
    expect(await fixture().world.connection.db!.collection('catch_up_log').countDocuments({})).to.equal(0);
    await activate(1);
    await expectConsistent(1);
  });

  it('cannot be rolled back after a rebuild of the board', async () => {
    await activate();
    expect(await engine.rebuildBoard()).to.equal(true);
    expect(await engine.rerank.rollBack()).to.deep.equal({ kind: 'nothing' });
    await expectConsistent(2);
  });

  it('includes an operator that was enrolled and published while the run was being created', async () => {
    const victim = makeVictim(fixture().world, { at: 'rerank.described' }, RANGES);
    const work = victim.engine.rerank.start({ kind: 'activate', methodology: 2 });
    await victim.reachedBy(work);
    await submitNew('newcomer', MANY);
    victim.wake();
    expect(await work).to.include({ kind: 'started' });
    await engine.rerank.supervise(jobs);
    await jobs.work(engine);
    await publishOnly();
    expect(await methodology()).to.equal(2);
    expect(await isOnBoard('newcomer')).to.equal(true);
  });

  it('runs once at a time', async () => {
    const run = await begin();
    const other = fixture().world.another();
    expect(await other.rerank.start({ kind: 'activate', methodology: 2 })).to.deep.equal({ kind: 'busy', run });
    expect(await other.rerank.start({ kind: 'preview', methodology: 2 })).to.deep.equal({ kind: 'busy', run });
    expect(await other.rerank.start({ kind: 'activate', methodology: 9_999 })).to.deep.equal({ kind: 'unknown' });
    expect(await other.rerank.rollBack()).to.deep.equal({ kind: 'busy', run });
    expect(await other.rebuildBoard().catch(String)).to.match(/a re-rank is running/);
    await jobs.work(engine);
    expect(await other.rerank.start({ kind: 'activate', methodology: 2 })).to.deep.equal({ kind: 'current' });
    const runs = await fixture().world.connection.db!.collection('rerank_runs').countDocuments({});
    expect(runs, 'stored runs').to.equal(1);
  });

  it('starts only one of several concurrent runs', async () => {
    const engines = Array.from({ length: 4 }, () => fixture().world.another());
    const results = await Promise.all(engines.map((one) => one.rerank.start({ kind: 'activate', methodology: 2 })));
    const started = results.filter(({ kind }) => kind === 'started');
    expect(started).to.have.lengthOf(1);
    expect(results.filter(({ kind }) => kind === 'busy')).to.have.lengthOf(3);
  });

  it('stores no Yields of a range that is scored after the run was cancelled', async () => {
    const run = await begin();
    const victim = makeVictim(fixture().world, { at: 'range.scored' }, RANGES);
    const work = victim.engine.rerank.scoreRange(run, 0);
    await victim.reachedBy(work);
    await engine.rerank.cancel();
    await engine.rerank.supervise(jobs);
    victim.wake();
    expect(await work).to.equal('gone');
    expect(await fixture().world.connection.db!.collection('rerank_parts').countDocuments({})).to.equal(0);
  });

  it('can be cancelled at any time before the switch', async () => {
    const points = [
      'rerank.begun',
      'range.scored',
      'rerank.table_read',
      'rerank.base_recorded',
      'rerank.top_entries_written',
    ] as const;
    for (const at of points) {
      const victim = makeVictim(fixture().world, { at }, RANGES);
      const work = (async () => {
        await victim.engine.rerank.start({ kind: 'activate', methodology: 2 });
        await victim.engine.rerank.supervise(jobs);
        await jobs.work(victim.engine);
      })();
      await victim.reachedBy(work);
      const { underWay } = await engine.rerank.status();
      expect(underWay, `a run to cancel at ${at}`).to.not.equal(null);
      expect(await engine.rerank.cancel()).to.equal(underWay?.run);
      victim.wake();
      await work;
      expect((await engine.rerank.status()).ended[0]).to.include({ state: 'cancelled' });
      await expectConsistent(1);
      jobs.lose();
    }
    expect(await engine.rerank.cancel()).to.equal(null);
    await engine.rerank.supervise(jobs);
    const db = fixture().world.connection.db!;
    expect(await db.collection('rerank_parts').countDocuments({})).to.equal(0);
    fixture().world.now += 11 * MINUTE_MS;
    await fixture().survivor.collectGarbage();
    const bases = await db
      .collection<{ _id: string }>('board_base_runs')
      .find({ _id: /^rerank/ })
      .toArray();
    expect(bases, 'base runs of cancelled runs after garbage collection').to.deep.equal([]);
  });
});
