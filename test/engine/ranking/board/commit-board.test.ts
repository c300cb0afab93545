import { expect } from 'chai';
import type { Committer, Ranking } from '../../../../engine/ranking/index.ts';
import { openStores } from '../../../../engine/ranking/storage/stores.ts';
import { makeVictim } from '../../../faults/victim.ts';
import { openRankingWorld, type RankingWorld } from '../../../support/ranking-world.ts';

const HOUR_MS = 3_600_000;
const HOURS_7D = 168;
/** Change lists that one commit takes. */
const SETS_A_COMMIT = 64;

function committerOf(engine: Ranking): Committer {
  return engine.createCommitter(
    () => undefined,
    (error) => {
      throw error;
    },
  );
}

describe('a commit', () => {
  let world: RankingWorld;
  let committer: Committer;

  beforeEach(async () => {
    world = await openRankingWorld();
    committer = committerOf(world.ranking);
  });

  afterEach(async () => {
    await committer.close();
    await world.close();
  });

  async function submit(operator: number, output: number, asOf = world.now): Promise<void> {
    const header = { as_of: Math.floor(asOf / 1_000) };
    const entry = world.entry(operator, { input: 1, output, cache_read: 1 }, header);
    const [stored] = await world.ranking.log.append([entry]);
    if (stored?.kind !== 'stored') throw new Error('not stored');
    await world.ranking.processBatch(stored.batch, [entry]);
  }

  async function onBoard(): Promise<string[]> {
    const reader = await world.ranking.openBoardReader(() => undefined);
    const entries = reader.view().topEntries.all_time.map(({ codename }) => codename);
    await reader.close();
    return entries;
  }

  it('that finds nothing to change keeps one from publishing that read the records before', async () => {
    const operator = await world.enrol('off-and-on');
    await submit(operator, 5);
    await committer.tick();
    await committer.close();
    const { amend } = world.ranking.operators;
    await amend(operator, { listed: false });
    const victim = makeVictim(world, { at: 'commit.yields_read' });
    const slow = committerOf(victim.engine);
    const work = slow.tick();
    await victim.reachedBy(work);
    await amend(operator, { listed: true });
    // As if the slow one had overslept its lease.
    await world.connection.db!.collection('leases').deleteMany({});
    await committer.tick();
    victim.wake();
    await work;
    await committer.close();
    await slow.close();
    while (await committer.tick());
    expect(await onBoard()).to.deep.equal(['off-and-on']);
  });

  it('does not reach the next hour while it leaves change lists for another', async () => {
    const { dirtySets, board } = openStores(world.connection);
    const operator = await world.enrol('due-later');
    await submit(operator, 5);
    await committer.tick();
    const before = await board.hour();
    for (let list = 0; list < SETS_A_COMMIT; list++) await dirtySets.add([operator], world.now);
    world.now += (HOURS_7D + 1) * HOUR_MS;
    await world.ranking.advanceHour();
    await committer.tick();
    expect(await board.hour()).to.equal(before);
    while (await committer.tick());
    expect(await board.hour()).to.equal(before + HOURS_7D + 1);
    expect(await dirtySets.all(1)).to.deep.equal([]);
  });

  it('adds an operator to the top entries who comes after the last of them', async () => {
    await submit(await world.enrol('first-one'), 500);
    await committer.tick();
    await submit(await world.enrol('second-one'), 5);
    await committer.tick();
    expect(await onBoard()).to.deep.equal(['first-one', 'second-one']);
  });

  it('counts who is ranked in each window', async () => {
    for (const [at, days] of [0, 20, 60, 85].entries()) {
      await submit(await world.enrol(`days-ago-${days}`), at + 1, world.now - days * 24 * HOUR_MS);
    }
    await committer.tick();
    const reader = await world.ranking.openBoardReader(() => undefined);
    expect(reader.view().totals).to.deep.equal({ '7d': 1, '30d': 2, '90d': 4, all_time: 4 });
    await reader.close();
  });

  it('follows a root of the same version that is another one', async () => {
    await submit(await world.enrol('before-the-loss'), 5);
    await committer.tick();
    // What a store comes back with that lost its last writes, after another process published that version again.
    const manifests = world.connection.db!.collection<{ _id: string; generation: string }>('board_manifests');
    await manifests.updateOne({ _id: 'manifest' }, { $set: { generation: 'published-again' } });
    await submit(await world.enrol('after-the-loss'), 4);
    expect(await committer.tick(), 'overtaken').to.equal(false);
    expect(await onBoard()).to.deep.equal(['before-the-loss', 'after-the-loss']);
  });
});
