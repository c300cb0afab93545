import { expect } from 'chai';
import { HOUR_MS } from '../../../../config/units.ts';
import { byWindow } from '../../../../engine/contract/index.ts';
import type { Committer } from '../../../../engine/ranking/index.ts';
import { openRankingWorld, type RankingWorld } from '../../../support/ranking-world.ts';

const rethrow = (error: unknown): never => {
  throw error;
};

describe('published boards', () => {
  let world: RankingWorld;
  let committer: Committer;

  beforeEach(async () => {
    world = await openRankingWorld();
    committer = world.ranking.createCommitter(() => undefined, rethrow);
  });

  afterEach(async () => {
    await committer.close();
    await world.close();
  });

  async function submit(operator: number, input: number, output: number, cacheRead: number): Promise<void> {
    const entry = world.entry(operator, { input, output, cache_read: cacheRead });
    const [outcome] = await world.ranking.log.append([entry]);
    if (outcome?.kind !== 'stored') throw new Error('not stored');
    await world.ranking.processBatch(outcome.batch, [entry]);
  }

  it('are empty before the first submission', async () => {
    const reader = await world.ranking.openBoardReader(rethrow);
    expect(reader.view().totals).to.deep.equal(byWindow(() => 0));
    expect(reader.view().topEntries.all_time).to.deep.equal([]);
    await reader.close();
  });

  it('rank submissions, with one rank for ties', async () => {
    const first = await world.enrol('alpha-one');
    const second = await world.enrol('beta-two');
    const third = await world.enrol('gamma-three');
    await submit(first, 10, 20, 30);
    await submit(second, 10, 30, 20);
    await submit(third, 10, 100, 100);
    await committer.tick();
    const reader = await world.ranking.openBoardReader(rethrow);
    expect(reader.view().topEntries['7d'].map(({ codename, rank, yield_ }) => [codename, rank, yield_])).to.deep.equal([
      ['gamma-three', 1, 100],
      ['alpha-one', 2, 6],
      ['beta-two', 2, 6],
    ]);
    const profile = await reader.profile('BETA-two');
    expect(profile).to.include({ rank: 2, percentile: 66.67, cascade_str: '2:1:3', class_tier: 'REFINER' });
    expect(await reader.rankOfTotals(first, { input: 1, output: 100, cache_read: 100, cache_write: 0 })).to.equal(1);
    await reader.close();
  });

  it('drop usage older than a week without a submission, and report movement', async () => {
    const early = await world.enrol('early-bird');
    const late = await world.enrol('late-riser');
    await submit(early, 10, 100, 100);
    world.now += 48 * HOUR_MS;
    await world.ranking.advanceHour();
    await committer.tick();
    await committer.close();
    await submit(late, 10, 10, 10);
    await committer.tick();
    world.now += 160 * HOUR_MS;
    await world.ranking.advanceHour();
    await committer.tick();
    const reader = await world.ranking.openBoardReader(rethrow);
    expect(reader.view().topEntries['7d'].map(({ codename }) => codename)).to.deep.equal(['late-riser']);
    expect(reader.view().topEntries.all_time.map(({ codename, rank }) => [codename, rank])).to.deep.equal([
      ['early-bird', 1],
      ['late-riser', 2],
    ]);
    const profile = await reader.profile('late-riser');
    expect(profile?.windows['7d'].rank).to.equal(1);
    expect(profile?.windows['7d'].movement_7d).to.equal(null);
    await reader.close();
  });
});
