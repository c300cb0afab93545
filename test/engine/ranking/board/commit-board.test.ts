import { expect } from 'chai';
import { HOUR_MS } from '../../../../config/units.ts';
import { currentYieldOf } from '../../../../engine/ranking/core/board/index.ts';
import { stateOf } from '../../../../engine/ranking/read/board-state.ts';
import { openStores } from '../../../../engine/ranking/storage/stores.ts';
import { makeVictim } from '../../../faults/victim.ts';
import { committerOf, submitBatch } from '../../../support/open-engine.ts';
import { openRankingWorld } from '../../../support/ranking-world.ts';
import { openRecorded } from '../../../support/sent-commands.ts';
import { useFreshFixture } from '../../../support/use-fixture.ts';

const HOURS_7D = 168;
/** Lifetime of the committer's lease. */
const LEASE_MS = 5_000;
const DIRTY_SETS_PER_COMMIT = 64;

describe('a commit', () => {
  const world = useFreshFixture(openRankingWorld);
  const committer = useFreshFixture(() => committerOf(world().ranking));

  async function submit(operator: number, output: number, asOf = world().now): Promise<void> {
    const header = { as_of: Math.floor(asOf / 1_000) };
    const entry = world().entry(operator, { input: 1, output, cache_read: 1 }, header);
    await submitBatch(world().ranking, [entry]);
  }

  async function onBoard(): Promise<string[]> {
    const reader = await world().ranking.openBoardReader(() => undefined);
    const entries = reader.view().topEntries.all_time.map(({ codename }) => codename);
    await reader.close();
    return entries;
  }

  it('without changes prevents an earlier one from publishing the records that it read before', async () => {
    const operator = await world().enrol('off-and-on');
    await submit(operator, 5);
    await committer().tick();
    await committer().close();
    const { amend } = world().ranking.operators;
    await amend(operator, { listed: false });
    const victim = makeVictim(world(), { at: 'commit.yields_read' });
    const slow = committerOf(victim.engine);
    const work = slow.tick();
    await victim.reachedBy(work);
    await amend(operator, { listed: true });
    // As if the lease of the slow committer had expired.
    await world().connection.db!.collection('leases').deleteMany({});
    await committer().tick();
    victim.wake();
    await work;
    await committer().close();
    await slow.close();
    while (await committer().tick());
    expect(await onBoard()).to.deep.equal(['off-and-on']);
  });

  it('does not advance the hour while it leaves dirty sets for the next commit', async () => {
    const { dirtySets, board } = openStores(world().connection);
    const operator = await world().enrol('due-later');
    await submit(operator, 5);
    await committer().tick();
    const { hour: before } = await board.basis();
    for (let sets = 0; sets < DIRTY_SETS_PER_COMMIT; sets++) await dirtySets.add([operator], world().now);
    world().now += (HOURS_7D + 1) * HOUR_MS;
    await world().ranking.advanceHour();
    expect(await committer().tick(), 'whether there is more').to.equal(true);
    expect((await board.basis()).hour).to.equal(before);
    while (await committer().tick());
    expect((await board.basis()).hour).to.equal(before + HOURS_7D + 1);
    expect(await dirtySets.all(1)).to.deep.equal([]);
  });

  it('adds an operator that ranks after the last top entry', async () => {
    await submit(await world().enrol('first-one'), 500);
    await committer().tick();
    await submit(await world().enrol('second-one'), 5);
    await committer().tick();
    await submit(await world().enrol('with-a-yield-of-0'), 0);
    await committer().tick();
    expect(await onBoard()).to.deep.equal(['first-one', 'second-one', 'with-a-yield-of-0']);
    world().now += HOUR_MS;
    await committer().tick();
    expect(await onBoard(), 'at the next hour').to.deep.equal(['first-one', 'second-one', 'with-a-yield-of-0']);
  });

  it('gives the top entries the Yields of the board, also for an operator that changes meanwhile', async () => {
    const operator = await world().enrol('changed-meanwhile');
    await submit(operator, 5);
    const victim = makeVictim(world(), { at: 'commit.yields_read' });
    const paused = committerOf(victim.engine);
    const work = paused.tick();
    await victim.reachedBy(work);
    await submit(operator, 6);
    victim.wake();
    await work;
    await paused.close();
    const { board, parts } = openStores(world().connection);
    const manifest = (await board.read())!;
    const { delta } = (await stateOf(parts, manifest, null))!;
    const [entries] = (await parts.topEntries(manifest.topEntries))!;
    expect(entries!.map(({ yield_ }) => yield_)).to.deep.equal([currentYieldOf(delta, operator, 0)]);
  });

  it('counts the ranked operators of each window', async () => {
    for (const [at, days] of [0, 20, 60, 85].entries()) {
      await submit(await world().enrol(`days-ago-${days}`), at + 1, world().now - days * 24 * HOUR_MS);
    }
    await committer().tick();
    const reader = await world().ranking.openBoardReader(() => undefined);
    expect(reader.view().totals).to.include({ '7d': 1, '30d': 2, '90d': 4, all_time: 4 });
    await reader.close();
  });

  it('updates the movement of top entries at a new hour without other changes', async () => {
    const movements = async (hours: number) => {
      world().now += hours * HOUR_MS;
      await committer().tick();
      // Closing waits for the compaction that keeps the board of the hour.
      await committer().close();
      const reader = await world().ranking.openBoardReader(() => undefined);
      const { topEntries } = reader.view();
      await reader.close();
      const [first, second] = [topEntries.all_time, topEntries['7d']].map((entries) =>
        entries.map(({ codename, movement_24h }) => [codename, movement_24h]),
      );
      expect(second, 'in the other window').to.deep.equal(first);
      return first;
    };
    await submit(await world().enrol('first-for-an-hour'), 5);
    await movements(1);
    await submit(await world().enrol('first-since'), 500);
    await movements(1);
    expect(await movements(23)).to.deep.equal([
      ['first-since', null],
      ['first-for-an-hour', -1],
    ]);
    expect(await movements(1)).to.deep.equal([
      ['first-since', 0],
      ['first-for-an-hour', 0],
    ]);
  });

  it('includes what another process published since its last commit', async () => {
    const named = await world().enrol('named-by-the-other');
    const changed = await world().enrol('changed-by-both');
    await submit(named, 9);
    await submit(changed, 5);
    await committer().tick();
    world().now += LEASE_MS + 1;
    await world().ranking.operators.amend(named, { displayName: 'Another name' });
    await submit(changed, 6);
    const other = committerOf(world().another());
    await other.tick();
    await other.close();
    await submit(changed, 7);
    await committer().tick();
    const reader = await world().ranking.openBoardReader(() => undefined);
    const entries = reader.view().topEntries.all_time;
    expect(entries.map(({ display_name, yield_ }) => [display_name, yield_])).to.deep.equal([
      ['Another name', 9],
      [null, 7],
    ]);
    await reader.close();
  });

  it('detects a manifest with the same version and another generation', async () => {
    await submit(await world().enrol('before-the-loss'), 5);
    await committer().tick();
    // As after a store lost its last writes and another process published that version again.
    const manifests = world().connection.db!.collection<{ _id: string; generation: string }>('board_manifests');
    await manifests.updateOne({ _id: 'manifest' }, { $set: { generation: 'published-again' } });
    await submit(await world().enrol('after-the-loss'), 4);
    expect(await committer().tick(), 'overtaken').to.equal(false);
    expect(await onBoard()).to.deep.equal(['before-the-loss', 'after-the-loss']);
  });

  it('publishes a version after its parts are stored', async () => {
    const { connection, sent } = await openRecorded(world().database);
    await submit(await world().enrol('stored-first'), 5);
    const other = committerOf(world().another({ connection }));
    await other.tick();
    await other.close();
    await connection.close();
    const published = sent.indexOf('update board_manifests');
    const stored = ['done insert board_segments', 'done insert board_top_entries'];
    expect(sent.slice(0, published)).to.include.members(stored);
  });

  it('logs its changes for a re-rank that began with the version before it', async () => {
    const { board, catchUpLog } = openStores(world().connection);
    await world().ranking.rerank.start({ kind: 'preview', methodology: 2 });
    const { version } = (await board.read())!;
    const operator = await world().enrol('changed-at-once');
    await submit(operator, 5);
    await committer().tick();
    expect([...(await catchUpLog.unseen(version, new Set()))]).to.deep.equal([operator]);
  });
});
