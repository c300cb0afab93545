import { expect } from 'chai';
import { DAY_MS, HOUR_MS, MINUTE_MS } from '../../../../config/units.ts';
import { committerOf, submitBatch } from '../../../support/open-engine.ts';
import { openRankingWorld } from '../../../support/ranking-world.ts';
import { rethrow } from '../../../support/rethrow.ts';
import { useFreshFixture } from '../../../support/use-fixture.ts';

describe('neighbours and history of an operator', () => {
  const world = useFreshFixture(openRankingWorld);
  const committer = useFreshFixture(() => committerOf(world().ranking));
  const reader = useFreshFixture(() => world().ranking.openBoardReader(rethrow));

  async function submit(operator: number, output: number): Promise<void> {
    const entry = world().entry(operator, { input: 10, output, cache_read: 100 });
    await submitBatch(world().ranking, [entry]);
  }

  async function publish(): Promise<void> {
    while (await committer().tick());
    await reader().refresh();
  }

  const names = async (codename: string, around: number): Promise<readonly string[]> =>
    (await reader().neighbours(codename, 'all_time', around)).map((entry) => entry.codename);

  it('neighbours are the entries on either side, fewer at the ends', async () => {
    // Best first; op-6 and op-7 are tied: neighbours follow board order, not ranks.
    for (const [index, output] of [80, 70, 60, 50, 40, 30, 20, 20].entries()) {
      await submit(await world().enrol(`op-${index}`), output);
    }
    await publish();
    expect(await names('op-3', 2)).to.deep.equal(['op-1', 'op-2', 'op-3', 'op-4', 'op-5']);
    expect(await names('op-0', 2)).to.deep.equal(['op-0', 'op-1', 'op-2']);
    expect(await names('OP-7', 1)).to.deep.equal(['op-6', 'op-7']);
    expect(await names('no-such-one', 2)).to.deep.equal([]);
    const [, own] = await reader().neighbours('op-7', 'all_time', 1);
    expect(own).to.include({ codename: 'op-7', rank: 7 });
  });

  it('neighbours are the same from a base run with a delta and from a new base run', async () => {
    for (let index = 0; index < 12; index += 1) await submit(await world().enrol(`op-${index}`), 10 + index * 10);
    await publish();
    await world().ranking.compactBoard();
    await submit(await world().enrol('newcomer'), 66);
    await publish();
    const fromDelta = await names('newcomer', 3);
    expect(fromDelta).to.deep.equal(['op-8', 'op-7', 'op-6', 'newcomer', 'op-5', 'op-4', 'op-3']);
    await world().ranking.rebuildBoard();
    await reader().refresh();
    expect(await names('newcomer', 3)).to.deep.equal(fromDelta);
  });

  it('an operator without a rank has no neighbours', async () => {
    await world().enrol('silent-one');
    await publish();
    expect(await names('silent-one', 3)).to.deep.equal([]);
  });

  it('the history has a point for every kept board since the enrolment, and one for the current board', async () => {
    await submit(await world().enrol('old-hand'), 20);
    await publish();
    for (const day of [1, 2, 3]) {
      world().now += DAY_MS;
      await world().ranking.advanceHour();
      if (day === 2) await submit(await world().enrol('rising-star'), 50);
      await publish();
      await world().ranking.compactBoard();
    }
    await reader().refresh();
    const history = await reader().history('Old-Hand', 'all_time');
    expect(history).to.include({ codename: 'old-hand', window: 'all_time' });
    const points = history?.points ?? [];
    expect(points.at(-1)).to.include({ rank: 2, yield_: 20, methodology: 1 });
    expect(points.map(({ rank }) => rank)).to.include.members([1, 2]);
    expect(points.map(({ at }) => at)).to.deep.equal(points.map(({ at }) => at).toSorted((a, b) => a - b));
    const young = await reader().history('rising-star', 'all_time');
    expect(young?.points.findLast(({ rank }) => rank !== null)).to.include({ rank: 1, yield_: 50 });
    expect((young?.points ?? []).filter(({ rank }) => rank !== null).length).to.be.below(points.length);
  });

  it('the history has a point for every hour without changes, whoever was asked for before', async () => {
    for (const codename of ['old-hand', 'rising-star']) await submit(await world().enrol(codename), 20);
    await publish();
    await world().ranking.compactBoard();
    const { history } = reader();
    const hoursOf = async (codename: string) =>
      (await history(codename, 'all_time'))?.points.map(({ at }) => Math.floor(at / HOUR_MS)) ?? [];
    await hoursOf('old-hand');
    for (let hour = 0; hour < 3; hour += 1) {
      world().now += HOUR_MS;
      await publish();
      // Also where it was read before the board of the hour was kept.
      await hoursOf('old-hand');
      await world().ranking.compactBoard();
      await reader().refresh();
      const now = Math.floor(world().now / HOUR_MS);
      // The board kept at the start of the current hour and the current one are both points.
      expect((await hoursOf('old-hand')).slice(-2)).to.deep.equal([now, now]);
    }
    const now = Math.floor(world().now / HOUR_MS);
    const hours = await hoursOf('old-hand');
    expect(hours.slice(-4)).to.deep.equal([now - 2, now - 1, now, now]);
    expect(hours).to.deep.equal(await hoursOf('rising-star'));
  });

  it('an unknown operator has no history, and an unranked one a history of nulls', async () => {
    await world().enrol('silent-one');
    await publish();
    expect(await reader().history('no-such-one', '7d')).to.equal(null);
    const points = (await reader().history('silent-one', '7d'))?.points ?? [];
    expect(points.length).to.be.above(0);
    expect(points.every(({ rank, yield_ }) => rank === null && yield_ === null)).to.equal(true);
  });

  it('a reader answers from the newest board when the parts of its own were collected', async () => {
    const operator = await world().enrol('still-there');
    await submit(operator, 20);
    await publish();
    await world().ranking.rebuildBoard();
    const late = await world().ranking.openBoardReader(rethrow);
    for (const round of [1, 2]) {
      await submit(operator, 20 + round);
      while (await committer().tick());
      await world().ranking.rebuildBoard();
    }
    world().now += 11 * MINUTE_MS;
    expect(await world().ranking.collectGarbage()).to.be.above(0);
    expect((await late.history('still-there', 'all_time'))?.points.at(-1)).to.include({ yield_: 22 });
    await late.close();
  });

  it('the percentile of an operator that no board has yet counts it as well', async () => {
    for (const [index, output] of [80, 70].entries()) await submit(await world().enrol(`op-${index}`), output);
    await publish();
    await submit(await world().enrol('not-yet-there'), 60);
    expect(await reader().profile('op-1')).to.include({ rank: 2, percentile: 50 });
    expect(await reader().profile('not-yet-there')).to.include({ rank: 3, percentile: 33.33 });
  });
});
