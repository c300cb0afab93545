import { expect } from 'chai';
import type { Ranking } from '../../engine/ranking/index.ts';
import { foldGroup } from '../../workers/handlers/fold-group.ts';
import { JOBS } from '../../workers/index.ts';
import { runSeed, seededRandom } from '../support/seeded-random.ts';
import { checkWhole, expectReferences } from './check-whole.ts';
import { type FaultField, MINUTE_MS, openFaultField, SECOND_MS } from './fault-field.ts';
import { type FaultRow, faultTable } from './fault-table.ts';
import { keepStore } from './keep-store.ts';
import { toNextDueHour } from './operations.ts';
import { makeVictim } from './victim.ts';

const rethrow = (error: unknown): never => {
  throw error;
};

function committerOf(engine: Ranking) {
  return engine.createCommitter(() => undefined, rethrow);
}

describe('races', function () {
  this.timeout(60_000);
  const seed = runSeed();
  const rows: FaultRow[] = [];
  let field: FaultField;

  before(async () => {
    field = await openFaultField(seededRandom(seed));
  });

  after(async () => {
    await field.close();
    process.stdout.write(`\n  races (seed ${seed})\n${faultTable(rows)}\n\n`);
  });

  /** A test that ends with everything whole; its row says how often the moment in question came. */
  function race(name: string, run: () => Promise<{ hits: number; outcome: string }>): void {
    it(`${name} (seed ${seed})`, async () => {
      const place = rows.push({ fault: name, mode: 'race', hits: 0, outcome: 'failed' }) - 1;
      const { hits, outcome } = await run();
      expect(hits, 'times the moment came').to.be.greaterThan(0);
      await field.recover();
      await checkWhole(field);
      rows[place] = { fault: name, mode: 'race', hits, outcome };
    });
  }

  async function names(): Promise<Set<string>> {
    const found = await field.world.connection.db!.collection<{ _id: string }>('board_segments').find().toArray();
    return new Set(found.map(({ _id }) => _id));
  }

  race('a committer that sleeps through a sweep', async () => {
    await field.submit(field.survivor);
    const victim = makeVictim(field.world, { at: 'commit.parts_written' });
    const former = await names();
    const work = committerOf(victim.engine).tick();
    await victim.reachedBy(work);
    const written = [...(await names())].filter((id) => !former.has(id));
    field.world.now += 11 * MINUTE_MS;
    const swept = await field.survivor.sweepBoard();
    const left = await names();
    expect(
      written.filter((id) => left.has(id)),
      'segments of the sleeper',
    ).to.deep.equal([]);
    victim.wake();
    await work;
    await expectReferences(field);
    return { hits: swept, outcome: 'its parts were swept, and it published nothing' };
  });

  race('a commit whose top operators move whenever it has read their records', async () => {
    await field.submit(field.survivor, 24);
    let rounds = 0;
    const engine = field.world.another({
      reach: async (checkpoint) => {
        if (checkpoint !== 'commit.yields_read') return;
        rounds += 1;
        await field.submit(field.survivor, 24);
      },
    });
    await committerOf(engine).tick();
    // Whoever had moved was read once more, and by then stood as the board has it.
    expect(rounds, 'rounds of one commit').to.be.within(2, 3);
    return { hits: rounds, outcome: 'published, with one reading of each operator for its Yield and its entry' };
  });

  race('a worker that sleeps through the turn of an hour', async () => {
    const victim = makeVictim(field.world, { at: 'fold.loaded' });
    const work = field.submit(victim.engine, 5);
    await victim.reachedBy(work);
    await toNextDueHour(field);
    await field.recover();
    victim.wake();
    await work;
    return { hits: victim.hits(), outcome: 'folded on what the turn had made of it' };
  });

  race('a turner whose list is taken from it while it sleeps', async () => {
    await toNextDueHour(field);
    const victim = makeVictim(field.world, { at: 'turn.held' });
    const work = victim.engine.turnHour();
    await victim.reachedBy(work);
    // The list is given up for abandoned, and a commit takes it, before anything of it was written.
    field.world.now += 31 * SECOND_MS;
    const idle = field.world.another();
    await idle.healOperators();
    const lists = field.world.connection.db!.collection('change_lists');
    await lists.updateMany({}, { $unset: { held_at: true } });
    await field.publish();
    expect(await lists.countDocuments({}), 'lists left by the commit').to.equal(0);
    victim.wake();
    await work;
    // Without the healer's help.
    await field.publish();
    await field.publish();
    await field.reader.refresh();
    await checkWhole(field);
    return { hits: victim.hits(), outcome: 'listed again by its writer' };
  });

  race('an amendment whose list is taken from it while it sleeps', async () => {
    const operator = field.random.pick(field.operators);
    const { listed } = (await field.survivor.operators.byNumber(operator))!;
    const victim = makeVictim(field.world, { at: 'amend.held' });
    const work = victim.engine.operators.amend(operator, { listed: !listed });
    await victim.reachedBy(work);
    field.world.now += 31 * SECOND_MS;
    await field.survivor.turnHour();
    await field.publish();
    victim.wake();
    await work;
    await field.publish();
    await field.reader.refresh();
    await checkWhole(field);
    return { hits: victim.hits(), outcome: 'listed again by its writer' };
  });

  race('a rename that sleeps until its codename is taken', async () => {
    const operator = field.random.pick(field.operators);
    const { codename: former } = (await field.survivor.operators.byNumber(operator))!;
    const victim = makeVictim(field.world, { at: 'rename.former_held' });
    const work = victim.engine.operators.rename(operator, 'wanted-by-two');
    await victim.reachedBy(work);
    field.world.now += MINUTE_MS + SECOND_MS;
    const other = await field.survivor.operators.enrol({ codename: 'wanted-by-two' });
    expect(other.kind).to.equal('enrolled');
    victim.wake();
    await work;
    expect((await field.survivor.operators.byNumber(operator))?.codename).to.equal(former);
    expect((await field.survivor.operators.find('wanted-by-two'))?.operator).to.not.equal(operator);
    // What it held is free again: its own codename, and nobody else's.
    expect((await field.survivor.operators.rename(operator, `${former}-again`)).kind).to.equal('renamed');
    return { hits: victim.hits(), outcome: 'it kept its codename' };
  });

  race('two committers', async () => {
    const both = [committerOf(field.world.another()), committerOf(field.world.another())];
    let published = 0;
    for (let round = 0; round < 10; round++) {
      await field.submit(field.survivor);
      // Each takes the lease for itself: as if the other had overslept.
      field.world.now += 6 * SECOND_MS;
      const ticks = both.map(async (committer) => {
        await field.world.connection.db!.collection<{ _id: string }>('leases').deleteMany({ _id: 'committer' });
        return committer.tick();
      });
      await Promise.all([...ticks, field.submit(field.survivor)]);
      published += 1;
    }
    await Promise.all(both.map((committer) => committer.close()));
    return { hits: published, outcome: 'one version after the other' };
  });

  race('a committer that finds nothing to do on a board that is no longer the newest', async () => {
    const operator = (await field.survivor.operators.byNumber(field.operators[0]!))!;
    await field.survivor.operators.amend(operator.operator, { listed: true });
    await field.submit(field.survivor);
    await field.publish();
    await field.survivor.operators.amend(operator.operator, { displayName: 'Aba' });
    await field.publish();
    // It remembers the board with the operator on it, and falls asleep with a list that changes nothing in hand.
    await field.survivor.operators.amend(operator.operator, { listed: false });
    const other = makeVictim(field.world, { at: 'commit.parts_written' });
    const sleeper = committerOf(other.engine).tick();
    await other.reachedBy(sleeper);
    await field.survivor.operators.amend(operator.operator, { listed: true });
    field.world.now += 6 * SECOND_MS;
    // The second list says what the board says already: it is forgotten, and nothing is published.
    await field.publish();
    other.wake();
    await sleeper;
    await field.publish();
    await field.reader.refresh();
    await checkWhole(field);
    return { hits: other.hits(), outcome: 'the sleeper published nothing' };
  });

  race('a committer against a compactor', async () => {
    let compacted = 0;
    for (let round = 0; round < 6; round++) {
      await field.submit(field.survivor);
      const compactor = field.world.another();
      const [done] = await Promise.all([compactor.compactBoard(), field.publish(), field.submit(field.survivor)]);
      compacted += Number(done);
      await field.publish();
    }
    return { hits: compacted, outcome: 'bases with the segments written meanwhile' };
  });

  /** Publishes until the board differs from its base: a committer may sort it anew itself, when an hour has turned. */
  async function somethingToCompact(): Promise<void> {
    const roots = field.world.connection.db!.collection<{ segments: readonly unknown[] }>('board_roots');
    for (let tries = 0; tries < 5; tries++) {
      await field.submit(field.survivor);
      await field.publish();
      if (((await roots.findOne())?.segments.length ?? 0) > 0) return;
    }
    throw new Error('what was submitted never stayed above the base');
  }

  for (const at of ['compact.table_read', 'compact.base_written', 'compact.pages_written'] as const) {
    race(`a compactor that sleeps through a sweep at ${at}`, async () => {
      await field.recover();
      await somethingToCompact();
      const victim = makeVictim(field.world, { at });
      const work = victim.engine.compactBoard();
      await victim.reachedBy(work);
      await field.submit(field.survivor);
      await field.publish();
      await field.survivor.compactBoard();
      field.world.now += 11 * MINUTE_MS;
      const swept = await field.survivor.sweepBoard();
      victim.wake();
      await work;
      field.world.now += 11 * MINUTE_MS;
      await field.survivor.sweepBoard();
      await expectReferences(field);
      return { hits: Math.min(swept, victim.hits()), outcome: 'started over, and nothing of it was left' };
    });
  }

  // A sweep leaves the base of each hour's last board, so a reader that has not polled yet may find all parts of its version
  // and answer from that. It never mixes two versions: an answer is the model's at the version that the reader then holds.
  race('a reader whose parts are swept while it reads a slice', async () => {
    let behind = 0;
    for (let round = 0; round < 4; round++) {
      await field.submit(field.survivor);
      await field.publish();
      await field.survivor.compactBoard();
      const reader = await field.world.another().openBoardReader(rethrow);
      const { version } = reader.view();
      const former = await field.model();
      await field.submit(field.survivor);
      await field.publish();
      await field.survivor.compactBoard();
      field.world.now += 11 * MINUTE_MS;
      const slices = Array.from({ length: 3 }, () => reader.slice('all_time', 0, 100));
      await field.survivor.sweepBoard();
      const late = await reader.slice('30d', 0, 100);
      const newest = await field.model();
      const moved = reader.view().version > version;
      for (const slice of await Promise.all(slices)) expect(slice.length).to.equal(newest[0]!.total);
      const expected = (moved ? newest : former)[2]!.entries;
      expect(late.map(({ yield_ }) => yield_)).to.deep.equal(expected.map(({ yield_ }) => yield_));
      await reader.refresh();
      const fresh = await reader.slice('30d', 0, 100);
      expect(fresh.map(({ yield_ }) => yield_)).to.deep.equal(newest[2]!.entries.map(({ yield_ }) => yield_));
      behind += Number(moved);
      await reader.close();
    }
    return { hits: behind, outcome: 'read on from the newest version' };
  });

  race('a process that dies between two entries of a group taken apart', async () => {
    const entries = field.makeEntries(4);
    const group = await field.append(field.survivor, entries);
    const victim = makeVictim(field.world, { at: 'fold.loaded', nth: 3 });
    const work = victim.engine.judgeGroupApart(group, entries);
    await victim.reachedBy(work);
    return { hits: victim.hits(), outcome: 'the group was judged again' };
  });

  race('a poisoned entry in a group', async () => {
    const { world, survivor, operators } = field;
    const others = field.makeEntries(30).filter(({ operator }) => operator !== operators[0]);
    const asOf = { as_of: Math.floor(world.now / SECOND_MS), stream: 'ledger-one' };
    const poisoned = world.entry(operators[0]!, { input: 1, output: 9e9, cache_read: 9 }, asOf);
    const entries = [...others.slice(0, 3), poisoned, ...others.slice(3)];
    const group = await field.append(survivor, entries);
    const { kid } = JSON.parse(Buffer.from(poisoned.signature.split('.')[0]!, 'base64url').toString('utf8'));
    const ranking = world.another({
      deviceKeys: async (kids) => {
        if (kids.includes(kid)) throw new TypeError('this key cannot be read');
        return world.deviceKeys(kids);
      },
    });
    const { attempts } = JOBS['fold-group'];
    for (let attempt = 1; attempt < attempts; attempt++) {
      const run = await foldGroup({ ranking }, { group, entries }, { isLast: false }).catch(String);
      expect(run, `attempt ${attempt}`).to.contain('cannot be read');
    }
    await foldGroup({ ranking }, { group, entries }, { isLast: true });
    const { verdict } = (await survivor.log.findVerdict(poisoned.operator, poisoned.jti))!;
    expect(verdict).to.include({ accepted: false, reason: 'entry_poisoned' });
    field.withdraw(poisoned);
    return { hits: attempts, outcome: `it alone was refused, ${others.length} others were accepted` };
  });

  race('a store that forgets everything since the last acknowledgement', async () => {
    let forgotten = 0;
    for (let round = 0; round < 6; round++) {
      const entries = field.makeEntries(4);
      const group = await field.append(field.survivor, entries);
      // What was acknowledged is journaled, and with it everything before; the rest may go with the power.
      const restore = await keepStore(field.world.connection);
      await field.survivor.judgeGroup(group, entries);
      await field.publish();
      if (round % 2 === 1) await field.survivor.compactBoard();
      await field.reader.refresh();
      forgotten += await restore();
      if (round >= 3) await field.submit(field.survivor);
      if (round >= 2) await field.publish();
      await field.recover();
      await checkWhole(field);
    }
    return { hits: forgotten, outcome: 'done again, by the same processes' };
  });
});
