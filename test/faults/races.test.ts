import { expect } from 'chai';
import { MINUTE_MS, MS_PER_SECOND } from '../../config/units.ts';
import { JOBS } from '../../ops/runtime/queues/index.ts';
import { processBatch } from '../../workers/handlers/handlers.ts';
import { entriesOn } from '../support/board-entries.ts';
import { committerOf } from '../support/open-engine.ts';
import { rethrow } from '../support/rethrow.ts';
import { runSeed, seededRandom } from '../support/seeded-random.ts';
import { useFixture } from '../support/use-fixture.ts';
import { captureStore } from './capture-store.ts';
import { checkConsistency, expectReferences } from './check-consistency.ts';
import { openFaultFixture } from './fault-fixture.ts';
import { type FaultRow, faultTable } from './fault-table.ts';
import { toNextDueHour } from './operations.ts';
import { makeVictim } from './victim.ts';

describe('races', () => {
  const seed = runSeed();
  const rows: FaultRow[] = [];
  const fixture = useFixture(() => openFaultFixture(seededRandom(seed)));

  after(() => process.stdout.write(`\n  races (seed ${seed})\n${faultTable(rows)}\n\n`));

  /** A test that ends with a check of all invariants; `hits` counts how often the race occurred. */
  function race(name: string, run: () => Promise<{ hits: number; outcome: string }>): void {
    it(`${name} (seed ${seed})`, async () => {
      const place = rows.push({ fault: name, mode: 'race', hits: 0, outcome: 'failed' }) - 1;
      const { hits, outcome } = await run();
      expect(hits, 'occurrences of the race').to.be.greaterThan(0);
      await fixture().recover();
      await checkConsistency(fixture());
      rows[place] = { fault: name, mode: 'race', hits, outcome };
    });
  }

  async function segmentIds(): Promise<Set<string>> {
    const found = await fixture().world.connection.db!.collection<{ _id: string }>('board_segments').find().toArray();
    return new Set(found.map(({ _id }) => _id));
  }

  race('a committer that stalls during garbage collection', async () => {
    await fixture().submit(fixture().survivor);
    const victim = makeVictim(fixture().world, { at: 'commit.parts_written' });
    const former = await segmentIds();
    const work = committerOf(victim.engine).tick();
    await victim.reachedBy(work);
    const written = [...(await segmentIds())].filter((id) => !former.has(id));
    fixture().world.now += 11 * MINUTE_MS;
    const collected = await fixture().survivor.collectGarbage();
    const remaining = await segmentIds();
    expect(
      written.filter((id) => remaining.has(id)),
      'segments of the stalled committer',
    ).to.deep.equal([]);
    victim.wake();
    await work;
    await expectReferences(fixture());
    return { hits: collected, outcome: 'its parts were deleted, and it published nothing' };
  });

  race('a commit whose top operators change after every read of their records', async () => {
    await fixture().submit(fixture().survivor, 24);
    let rounds = 0;
    const engine = fixture().world.another({
      failpoint: async (failpointName) => {
        if (failpointName !== 'commit.yields_read') return;
        rounds += 1;
        await fixture().submit(fixture().survivor, 24);
      },
    });
    await committerOf(engine).tick();
    // Changed operators were read once more, which gave their Yield and their entry.
    expect(rounds, 'rounds of one commit').to.be.within(2, 3);
    return { hits: rounds, outcome: 'published, with one read of each operator for its Yield and its entry' };
  });

  race('a worker that stalls while the hour advances', async () => {
    const victim = makeVictim(fixture().world, { at: 'batch.loaded' });
    const work = fixture().submit(victim.engine, 5);
    await victim.reachedBy(work);
    await toNextDueHour(fixture());
    await fixture().recover();
    victim.wake();
    await work;
    return { hits: victim.hits(), outcome: 'applied to the state of the new hour' };
  });

  race('a stalled advance of the hour whose intent is abandoned', async () => {
    await toNextDueHour(fixture());
    const victim = makeVictim(fixture().world, { at: 'advance.prepared' });
    const work = victim.engine.advanceHour();
    await victim.reachedBy(work);
    // The intent counts as abandoned, and a commit takes its dirty set, before the records are written.
    fixture().world.now += 31 * MS_PER_SECOND;
    const idle = fixture().world.another();
    await idle.reconcileOperators();
    const dirtySets = fixture().world.connection.db!.collection('dirty_sets');
    await dirtySets.updateMany({}, { $unset: { prepared_at: true } });
    await fixture().publish();
    expect(await dirtySets.countDocuments({}), 'dirty sets left by the commit').to.equal(0);
    victim.wake();
    await work;
    // Without reconciliation.
    await fixture().publish();
    await fixture().publish();
    await fixture().reader.refresh();
    await checkConsistency(fixture());
    return { hits: victim.hits(), outcome: 'marked dirty again by its writer' };
  });

  race('a stalled amendment whose intent is abandoned', async () => {
    const operator = fixture().random.pick(fixture().operators);
    const { listed } = (await fixture().survivor.operators.byNumber(operator))!;
    const victim = makeVictim(fixture().world, { at: 'amend.prepared' });
    const work = victim.engine.operators.amend(operator, { listed: !listed });
    await victim.reachedBy(work);
    fixture().world.now += 31 * MS_PER_SECOND;
    await fixture().survivor.advanceHour();
    await fixture().publish();
    victim.wake();
    await work;
    await fixture().publish();
    await fixture().reader.refresh();
    await checkConsistency(fixture());
    return { hits: victim.hits(), outcome: 'marked dirty again by its writer' };
  });

  race('a rename that stalls until its codename is taken', async () => {
    const operator = fixture().random.pick(fixture().operators);
    const { codename: former } = (await fixture().survivor.operators.byNumber(operator))!;
    const victim = makeVictim(fixture().world, { at: 'rename.former_held' });
    const work = victim.engine.operators.rename(operator, 'wanted-by-two');
    await victim.reachedBy(work);
    fixture().world.now += MINUTE_MS + MS_PER_SECOND;
    const other = await fixture().survivor.operators.enrol({ codename: 'wanted-by-two' });
    expect(other.kind).to.equal('enrolled');
    victim.wake();
    await work;
    expect((await fixture().survivor.operators.byNumber(operator))?.codename).to.equal(former);
    expect((await fixture().survivor.operators.find('wanted-by-two'))?.operator).to.not.equal(operator);
    // Its hold on the former codename is released.
    expect((await fixture().survivor.operators.rename(operator, `${former}-again`)).kind).to.equal('renamed');
    return { hits: victim.hits(), outcome: 'it kept its codename' };
  });

  race('two committers', async () => {
    const both = [committerOf(fixture().world.another()), committerOf(fixture().world.another())];
    let published = 0;
    for (let round = 0; round < 10; round++) {
      await fixture().submit(fixture().survivor);
      // Each acquires the lease, as if that of the other had expired.
      fixture().world.now += 6 * MS_PER_SECOND;
      const ticks = both.map(async (committer) => {
        await fixture().world.connection.db!.collection<{ _id: string }>('leases').deleteMany({ _id: 'committer' });
        return committer.tick();
      });
      await Promise.all([...ticks, fixture().submit(fixture().survivor)]);
      published += 1;
    }
    await Promise.all(both.map((committer) => committer.close()));
    return { hits: published, outcome: 'consecutive versions' };
  });

  race('a committer without changes on a board that is no longer the newest', async () => {
    const operator = (await fixture().survivor.operators.byNumber(fixture().operators[0]!))!;
    await fixture().survivor.operators.amend(operator.operator, { listed: true });
    await fixture().submit(fixture().survivor);
    await fixture().publish();
    await fixture().survivor.operators.amend(operator.operator, { displayName: 'Aba' });
    await fixture().publish();
    // It has the board with the operator in memory, and stalls with a dirty set that suspends it.
    await fixture().survivor.operators.amend(operator.operator, { listed: false });
    const other = makeVictim(fixture().world, { at: 'commit.parts_written' });
    const sleeper = committerOf(other.engine).tick();
    await other.reachedBy(sleeper);
    await fixture().survivor.operators.amend(operator.operator, { listed: true });
    fixture().world.now += 6 * MS_PER_SECOND;
    // The second dirty set equals the board: it is deleted, and nothing is published.
    await fixture().publish();
    other.wake();
    await sleeper;
    await fixture().publish();
    await fixture().reader.refresh();
    await checkConsistency(fixture());
    return { hits: other.hits(), outcome: 'the stalled committer published nothing' };
  });

  race('a committer and a compaction', async () => {
    let compacted = 0;
    for (let round = 0; round < 6; round++) {
      await fixture().submit(fixture().survivor);
      const compactor = fixture().world.another();
      const [done] = await Promise.all([
        compactor.compactBoard(),
        fixture().publish(),
        fixture().submit(fixture().survivor),
      ]);
      compacted += Number(done);
      await fixture().publish();
    }
    return { hits: compacted, outcome: 'base runs with the segments written meanwhile' };
  });

  /** Publishes until the board has a delta: a committer may compact by itself at a new hour. */
  async function makeDelta(): Promise<void> {
    const manifests = fixture().world.connection.db!.collection<{ segments: readonly unknown[] }>('board_manifests');
    for (let tries = 0; tries < 5; tries++) {
      await fixture().submit(fixture().survivor);
      await fixture().publish();
      if (((await manifests.findOne())?.segments.length ?? 0) > 0) return;
    }
    throw new Error('the delta stayed empty');
  }

  for (const at of ['compact.table_read', 'compact.base_written', 'compact.pages_written'] as const) {
    race(`a compaction that stalls during garbage collection at ${at}`, async () => {
      await fixture().recover();
      await makeDelta();
      const victim = makeVictim(fixture().world, { at });
      const work = victim.engine.compactBoard();
      await victim.reachedBy(work);
      await fixture().submit(fixture().survivor);
      await fixture().publish();
      await fixture().survivor.compactBoard();
      fixture().world.now += 11 * MINUTE_MS;
      const collected = await fixture().survivor.collectGarbage();
      victim.wake();
      await work;
      fixture().world.now += 11 * MINUTE_MS;
      await fixture().survivor.collectGarbage();
      await expectReferences(fixture());
      return { hits: Math.min(collected, victim.hits()), outcome: 'started again, without garbage' };
    });
  }

  // Garbage collection keeps the base run of each hour, so a reader that has not polled yet may find all parts of its version
  // and read that. It never mixes two versions: a result equals the model at the version that the reader has then.
  race('a reader whose parts are deleted while it reads a slice', async () => {
    let behind = 0;
    for (let round = 0; round < 4; round++) {
      await fixture().submit(fixture().survivor);
      await fixture().publish();
      await fixture().survivor.compactBoard();
      const reader = await fixture().world.another().openBoardReader(rethrow);
      const { version } = reader.view();
      const former = await fixture().model();
      await fixture().submit(fixture().survivor);
      await fixture().publish();
      await fixture().survivor.compactBoard();
      fixture().world.now += 11 * MINUTE_MS;
      // The first rows of the newest board are in memory.
      const slices = Array.from({ length: 3 }, () => entriesOn(reader, 'all_time', 1, 100));
      await fixture().survivor.collectGarbage();
      const late = await entriesOn(reader, '30d', 1, 100);
      const newest = await fixture().model();
      const isNewer = reader.view().version > version;
      for (const slice of await Promise.all(slices)) expect(slice.length).to.equal(newest[0]!.total - 1);
      const expected = (isNewer ? newest : former)[2]!.entries.slice(1);
      expect(late.map(({ yield_ }) => yield_)).to.deep.equal(expected.map(({ yield_ }) => yield_));
      await reader.refresh();
      const fresh = await entriesOn(reader, '30d', 1, 100);
      expect(fresh.map(({ yield_ }) => yield_)).to.deep.equal(newest[2]!.entries.slice(1).map(({ yield_ }) => yield_));
      behind += Number(isNewer);
      await reader.close();
    }
    return { hits: behind, outcome: 'continued with the newest version' };
  });

  race('a process that dies between two entries of a batch processed entry by entry', async () => {
    const entries = fixture().makeEntries(4);
    const batch = await fixture().append(fixture().survivor, entries);
    const victim = makeVictim(fixture().world, { at: 'batch.loaded', nth: 3 });
    const work = victim.engine.processBatchByEntry(batch, entries);
    await victim.reachedBy(work);
    return { hits: victim.hits(), outcome: 'the batch was processed again' };
  });

  race('a poisoned entry in a batch', async () => {
    const { world, survivor, operators } = fixture();
    const others = fixture()
      .makeEntries(30)
      .filter(({ operator }) => operator !== operators[0]);
    const asOf = { as_of: Math.floor(world.now / MS_PER_SECOND), stream: 'ledger-one' };
    const poisoned = world.entry(operators[0]!, { input: 1, output: 9e9, cache_read: 9 }, asOf);
    const entries = [...others.slice(0, 3), poisoned, ...others.slice(3)];
    const batch = await fixture().append(survivor, entries);
    const { kid } = JSON.parse(Buffer.from(poisoned.signature.split('.')[0]!, 'base64url').toString('utf8'));
    const ranking = world.another({
      deviceKeys: async (kids) => {
        if (kids.includes(kid)) throw new TypeError('this key cannot be read');
        return world.deviceKeys(kids);
      },
    });
    const { attempts } = JOBS['process-batch'];
    for (let attempt = 1; attempt < attempts; attempt++) {
      const run = await processBatch({ ranking }, { batch, entries }, { isLast: false }).catch(String);
      expect(run, `attempt ${attempt}`).to.contain('cannot be read');
    }
    await processBatch({ ranking }, { batch, entries }, { isLast: true });
    const { verdict } = (await survivor.log.findVerdict(poisoned.operator, poisoned.jti))!;
    expect(verdict).to.include({ accepted: false, reason: 'entry_poisoned' });
    fixture().withdraw(poisoned);
    return { hits: attempts, outcome: `only it was refused, ${others.length} others were accepted` };
  });

  race('a store that loses all writes since the last acknowledgement', async () => {
    let lost = 0;
    for (let round = 0; round < 6; round++) {
      const entries = fixture().makeEntries(4);
      const batch = await fixture().append(fixture().survivor, entries);
      // Acknowledged writes, and all before them, are journaled; later ones may be lost in a crash.
      const restore = await captureStore(fixture().world.connection);
      await fixture().survivor.processBatch(batch, entries);
      await fixture().publish();
      if (round % 2 === 1) await fixture().survivor.compactBoard();
      await fixture().reader.refresh();
      lost += await restore();
      if (round >= 3) await fixture().submit(fixture().survivor);
      if (round >= 2) await fixture().publish();
      await fixture().recover();
      await checkConsistency(fixture());
    }
    return { hits: lost, outcome: 'repeated by the same processes' };
  });
});
