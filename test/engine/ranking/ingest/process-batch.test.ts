import { expect } from 'chai';
import { mongo } from 'mongoose';
import { HOUR_MS, MS_PER_SECOND } from '../../../../config/units.ts';
import type { LogEntry } from '../../../../engine/ranking/index.ts';
import { ContentionError } from '../../../../engine/ranking/ingest/apply-facts.ts';
import { openStores } from '../../../../engine/ranking/storage/stores.ts';
import { checkConsistency } from '../../../faults/check-consistency.ts';
import { openFaultFixture } from '../../../faults/fault-fixture.ts';
import { makeVictim } from '../../../faults/victim.ts';
import { entriesOn } from '../../../support/board-entries.ts';
import { runSeed, seededRandom } from '../../../support/seeded-random.ts';
import { useFreshFixture } from '../../../support/use-fixture.ts';

const HOURS_7D = 168;

describe('processing a batch', () => {
  const seed = runSeed();
  const field = useFreshFixture(() => openFaultFixture(seededRandom(seed)));

  it(`applies at the board's hour although that advanced meanwhile, and reports the change (seed ${seed})`, async () => {
    const { world, survivor } = field();
    const operator = await world.enrol('late-turner');
    // In the 7-day window at this hour, outside it at the next.
    const asOf = Math.floor((world.now - HOURS_7D * HOUR_MS) / MS_PER_SECOND);
    const counts = { input: 10, output: 500, cache_read: 700, platform: 'claude-code' } as const;
    const entry = world.entry(operator, counts, { as_of: asOf, stream: 'ledger-one' });
    const batch = await field().append(survivor, [entry]);
    const victim = makeVictim(world, { at: 'batch.loaded' });
    const work = victim.engine.processBatch(batch, [entry]);
    await victim.reachedBy(work);
    world.now += HOUR_MS;
    await survivor.advanceHour();
    await field().publish();
    victim.wake();
    const { verdicts } = await work;
    expect(verdicts).to.deep.equal([{ operator, jti: entry.jti, accepted: true, changed: true }]);
    // Without another advance of the hour, which would apply to the operator.
    await field().publish();
    await field().reader.refresh();
    const profile = await field().reader.profile('late-turner');
    expect(profile?.windows['7d'].yield_ ?? null).to.equal(null);
    expect(profile?.windows['30d'].yield_).to.equal((700 * 500) / 100);
  });

  it(`shows what signed headers state about the counts, also where no count grew (seed ${seed})`, async () => {
    const { world, survivor } = field();
    const operator = await world.enrol('stating-fox');
    const shown: unknown[] = [];
    const counts = { input: 10, output: 500, cache_read: 700 };
    for (const header of [
      {},
      { counting: 'exact', cli: '0.9.0' },
      { counting: 'exact', cli: '0.10.0' },
      { cli: '7.0.0' },
    ]) {
      const entry = world.entry(operator, counts, header);
      const { verdicts } = await survivor.processBatch(await field().append(survivor, [entry]), [entry]);
      expect(verdicts).to.deep.equal([
        { operator, jti: entry.jti, accepted: true, changed: Object.keys(header).length === 0 },
      ]);
      await field().publish();
      await field().reader.refresh();
      shown.push((await field().reader.profile('stating-fox'))?.provenance);
    }
    const stated = { counting: 'exact', tool_version: '0.10.0' };
    expect(shown).to.deep.equal([null, { ...stated, tool_version: '0.9.0' }, stated, stated]);
    const other = world.entry(
      operator,
      { ...counts, platform: 'codex' },
      { counting: 'derived', cli: 'some/tool 1.0' },
    );
    await survivor.processBatch(await field().append(survivor, [other]), [other]);
    await field().publish();
    await field().reader.refresh();
    const { provenance } = (await field().reader.profile('stating-fox')) ?? {};
    expect(provenance).to.deep.equal({ ...stated, counting: 'derived' });
  });

  it(`returns the first verdict when the job is repeated (seed ${seed})`, async () => {
    const entries = field().makeEntries(3);
    const batch = await field().append(field().survivor, entries);
    const first = await field().survivor.processBatch(batch, entries);
    const { operators, verdicts } = openStores(field().world.connection);
    const numbers = entries.map(({ operator }) => operator);
    const revisions = await operators.recordRevisions(numbers);
    const second = await field().survivor.processBatch(batch, entries);
    expect(await operators.recordRevisions(numbers), 'records').to.deep.equal(revisions);
    expect(first.verdicts.some((verdict) => verdict.accepted && verdict.changed)).to.equal(true);
    expect(second.verdicts).to.deep.equal(first.verdicts);
    expect(await verdicts.decidedSince(new Date(field().world.now))).to.include(batch);
    expect(await verdicts.decidedSince(new Date(field().world.now + 1))).to.not.include(batch);
  });

  it(`entry by entry refuses none while the store is unavailable (seed ${seed})`, async () => {
    const entries = field().makeEntries(2);
    const batch = await field().append(field().survivor, entries);
    const away = field().world.another({
      deviceKeys: async () => {
        throw new mongo.MongoNetworkError('connection closed');
      },
    });
    const outcome = await away.processBatchByEntry(batch, entries).catch((error: unknown) => error);
    expect(outcome).to.be.instanceOf(mongo.MongoNetworkError);
    for (const { operator, jti } of entries) {
      expect((await field().survivor.log.findVerdict(operator, jti))?.verdict, jti).to.equal(null);
    }
    await field().survivor.processBatch(batch, entries);
    await field().recover();
    await checkConsistency(field());
  });

  it(`entry by entry publishes every change, and returns the totals (seed ${seed})`, async () => {
    const { world, survivor } = field();
    const operators = [await world.enrol('one-of-two'), await world.enrol('other-of-two')];
    const entries = operators.map((operator) => world.entry(operator, { input: 1, output: 100, cache_read: 100 }));
    const { totals } = await survivor.processBatchByEntry(await field().append(survivor, entries), entries);
    const counts = { input: 1, output: 100, cache_read: 100, cache_write: 0, row: 'settled' };
    expect(totals).to.deep.equal(operators.map((operator) => [operator, counts]));
    await field().publish();
    await field().reader.refresh();
    const listed = (await entriesOn(field().reader, 'all_time', 0, 100)).map(({ codename }) => codename);
    expect(listed).to.include.members(['one-of-two', 'other-of-two']);
  });

  it(`entry by entry leaves written states to reconciliation when it is killed (seed ${seed})`, async () => {
    const { world, survivor } = field();
    const operators = [await world.enrol('first-of-two'), await world.enrol('second-of-two')];
    // The enrolments are amendments too: let reconciliation pass them first.
    world.now += 600 * MS_PER_SECOND;
    await survivor.reconcileOperators();
    await field().publish();
    world.now += 600 * MS_PER_SECOND;
    await survivor.reconcileOperators();
    const entries = operators.map(
      (operator): LogEntry => world.entry(operator, { input: 1, output: 100, cache_read: 100 }),
    );
    const batch = await field().append(survivor, entries);
    const victim = makeVictim(world, { at: 'batch.loaded', nth: 2 });
    await victim.reachedBy(victim.engine.processBatchByEntry(batch, entries));
    const listed = async (): Promise<string[]> => {
      await field().publish();
      await field().reader.refresh();
      return (await entriesOn(field().reader, 'all_time', 0, 100)).map(({ codename }) => codename);
    };
    expect(await listed()).to.not.include('first-of-two');
    world.now += 40 * MS_PER_SECOND;
    // The job is not repeated: the record is the only trace of the first entry.
    expect(await survivor.reconcileOperators()).to.equal(1);
    expect(await listed()).to.include('first-of-two');
  });

  it(`reports for each entry of an operator whether it changed a total (seed ${seed})`, async () => {
    const { world, survivor } = field();
    const operator = await world.enrol('twice-in-one');
    const entries = [2, 1, 3].map((output) => world.entry(operator, { input: 1, output, cache_read: 1 }));
    const { verdicts } = await survivor.processBatch(await field().append(survivor, entries), entries);
    expect(verdicts.map((verdict) => verdict.accepted && verdict.changed)).to.deep.equal([true, false, true]);
  });

  it(`counts the highest epoch of a stream alone (seed ${seed})`, async () => {
    const { world, survivor } = field();
    const operator = await world.enrol('counting-again');
    const entries = [
      world.entry(operator, { input: 90, output: 90, cache_read: 90 }),
      world.entry(operator, { input: 1, output: 2, cache_read: 3 }, { epoch: 1 }),
    ];
    const { totals } = await survivor.processBatch(await field().append(survivor, entries), entries);
    expect(totals).to.deep.equal([[operator, { input: 1, output: 2, cache_read: 3, cache_write: 0, row: 'settled' }]]);
  });

  it(`refuses the entries of an operator that was erased after they were logged, and counts the others (seed ${seed})`, async () => {
    const { world, survivor } = field();
    const [erased, kept] = [await world.enrol('gone-tomorrow'), await world.enrol('still-here')];
    const entries = [erased, kept, erased].map((operator, index) =>
      world.entry(operator, { input: 1, output: 2 + index, cache_read: 3 }),
    );
    const batch = await field().append(survivor, entries);
    await survivor.operators.erase(erased);
    const { verdicts, totals } = await survivor.processBatch(batch, entries);
    expect(verdicts.map((verdict) => (verdict.accepted ? 'accepted' : verdict.reason))).to.deep.equal([
      'operator_gone',
      'accepted',
      'operator_gone',
    ]);
    expect(totals).to.deep.equal([[kept, { input: 1, output: 3, cache_read: 3, cache_write: 0, row: 'settled' }]]);
  });

  it(`refuses the entry that exceeds the stream limit, and counts the others (seed ${seed})`, async () => {
    const { world, survivor } = field();
    const operator = await world.enrol('many-ledgers');
    const entries = Array.from({ length: 65 }, (_, index) =>
      world.entry(operator, { input: 1, output: 2, cache_read: 3 }, { stream: `ledger-${index}` }),
    );
    const { verdicts, totals } = await survivor.processBatch(await field().append(survivor, entries), entries);
    expect(verdicts.map((verdict) => verdict.accepted)).to.deep.equal(entries.map((_, index) => index < 64));
    expect(verdicts.at(-1)).to.include({ reason: 'stream_limit' });
    expect(totals).to.deep.equal([
      [operator, { input: 64, output: 128, cache_read: 192, cache_write: 0, row: 'settled' }],
    ]);
  });

  it(`entry by entry refuses none whose operator's record keeps changing (seed ${seed})`, async () => {
    const { world, survivor } = field();
    const operator = await world.enrol('never-still');
    const entry = world.entry(operator, { input: 1, output: 2, cache_read: 3 });
    const batch = await field().append(survivor, [entry]);
    const records = world.connection.db!.collection<{ _id: number; revision: string }>('operators');
    let loaded = 0;
    const racing = world.another({
      failpoint: async (failpointName) => {
        if (failpointName !== 'batch.loaded') return;
        await records.updateOne({ _id: operator }, { $set: { revision: `moved-${loaded++}` } });
      },
    });
    const outcome = await racing.processBatchByEntry(batch, [entry]).catch((error: unknown) => error);
    expect(outcome).to.be.instanceOf(ContentionError);
    expect((await survivor.log.findVerdict(operator, entry.jti))?.verdict).to.equal(null);
    expect(loaded).to.be.above(1);
  });

  it(`applies an entry again whose write the store lost, although this process has it cached (seed ${seed})`, async () => {
    const { world } = field();
    const operator = await world.enrol('lost-write');
    const entry = world.entry(operator, { input: 1, output: 2, cache_read: 3 });
    const batch = await field().append(field().survivor, [entry]);
    const engine = world.another();
    const records = world.connection.db!.collection<{ _id: number }>('operators');
    const before = (await records.findOne({ _id: operator }))!;
    await engine.processBatch(batch, [entry]);
    await records.replaceOne({ _id: operator }, before);
    const { totals } = await engine.processBatch(batch, [entry]);
    expect(totals).to.deep.equal([[operator, { input: 1, output: 2, cache_read: 3, cache_write: 0, row: 'settled' }]]);
    const found = await world.another().log.findVerdict(operator, entry.jti);
    expect(found?.totals).to.deep.equal({ input: 1, output: 2, cache_read: 3, cache_write: 0, row: 'settled' });
  });
});
