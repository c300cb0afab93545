import { expect } from 'chai';
import { createReadyResponses } from '../../../../api/v1/leaderboard/ready-responses.ts';
import { byWindow } from '../../../../engine/contract/index.ts';
import type { BoardEntry, BoardOverview, BoardReader } from '../../../../engine/ranking/index.ts';

const OVERVIEW: BoardOverview = {
  version: 3,
  generation: 'first',
  methodology: 1,
  generatedAt: 0,
  hourBeganAt: 0,
  movementSince: { movement_24h_since: null, movement_7d_since: null },
  totals: { ...byWindow(() => 0), all_time: 4, '7d': 1 },
  topEntries: byWindow(() => []),
};

const ENTRY: BoardEntry = {
  codename: '',
  display_name: null,
  rank: 1,
  percentile: 100,
  platform: 'editor',
  class_tier: 'IGNITER',
  yield_: 4,
  leverage: 2,
  velocity: 2,
  integrity: { level: 'self_reported', flags: [] },
  provisional: false,
  witnessed_days: 0,
  yield_range: null,
  movement_24h: null,
  movement_7d: null,
};

/** Ready answers over a board that `show` replaces, of a service with `listed` operators, at `now`. */
function openAnswers(view: BoardOverview = OVERVIEW) {
  const listeners: Parameters<BoardReader['onView']>[0][] = [];
  const world = {
    now: Date.UTC(2026, 0, 1),
    listed: async (): Promise<number> => 7,
    counted: 0,
    show: (newer: BoardOverview) => {
      for (const listener of listeners) listener(newer);
    },
  };
  const answers = createReadyResponses({
    board: {
      view: () => view,
      onView: (listener) => {
        listeners.push(listener);
        return () => {};
      },
      held: async () => ({ total: 0, rows: [] }),
    },
    countListed: () => {
      world.counted += 1;
      return world.listed();
    },
    clock: () => world.now,
  });
  const read = async (window: '7d' | 'all_time', limit = 10) =>
    JSON.parse((await answers.answer(window, limit)).identity.toString('utf8'));
  return { world, answers, read };
}

describe('ready answers of the leaderboard', () => {
  it('have the entries of their window, up to the limit', async () => {
    const [first, second] = ['first-one', 'second-one'].map((codename) => ({ ...ENTRY, codename }));
    if (first === undefined || second === undefined) throw new Error('no entries');
    const topEntries = { ...OVERVIEW.topEntries, all_time: [first, second], '7d': [second] };
    const { read } = openAnswers({ ...OVERVIEW, topEntries });
    expect((await read('all_time', 2)).entries).to.deep.equal([first, second]);
    expect((await read('all_time', 1)).entries).to.deep.equal([first]);
    expect(await read('7d', 2)).to.deep.include({
      entries: [second],
      window: '7d',
      limit: 2,
      offset: 0,
      platform: null,
      at: null,
    });
  });

  it('count the operators of their window, on the newest board', async () => {
    const { world, answers, read } = openAnswers();
    const total = async (window: '7d' | 'all_time'): Promise<unknown> => (await read(window)).total_operators;
    expect([await total('all_time'), await total('7d')]).to.deep.equal([4, 1]);
    world.show({ ...OVERVIEW, version: 4, totals: { ...OVERVIEW.totals, '7d': 2 } });
    expect([answers.version(), await total('all_time'), await total('7d')]).to.deep.equal([4, 4, 2]);
    expect(await answers.answer('7d', 100), 'asked for again').to.equal(await answers.answer('7d', 100));
  });

  it('are generated again after half a minute, with a new count of the listed operators', async () => {
    const { world, read } = openAnswers();
    const first = await read('all_time');
    expect(first).to.include({ generated_at: '2026-01-01T00:00:00.000Z', board_at: '1970-01-01T00:00:00.000Z' });
    expect(first.listed_operators).to.equal(7);
    world.listed = async () => 9;
    world.now += 29_999;
    expect(await read('all_time')).to.deep.equal(first);
    world.now += 1;
    expect((await read('all_time')).generated_at).to.equal('2026-01-01T00:00:30.000Z');
    world.now += 30_000;
    expect((await read('all_time')).listed_operators).to.equal(9);
    expect(world.counted).to.equal(3);
  });

  it('list no fewer operators than any window ranks, before they are counted again', async () => {
    const { world, read } = openAnswers();
    expect((await read('7d')).listed_operators).to.equal(7);
    world.show({ ...OVERVIEW, version: 4, totals: { ...OVERVIEW.totals, '30d': 8, all_time: 9 } });
    expect(await read('7d')).to.include({ total_operators: 1, listed_operators: 9 });
  });

  it('keep the former count when counting fails', async () => {
    const { world, read } = openAnswers();
    await read('all_time');
    world.listed = () => Promise.reject(new Error('no connection'));
    world.now += 30_000;
    await read('all_time');
    world.now += 30_000;
    expect((await read('all_time')).listed_operators).to.equal(7);
  });

  it('are generated again when the clock was set back', async () => {
    const { world, read } = openAnswers();
    await read('all_time');
    world.now -= 1;
    expect((await read('all_time')).generated_at).to.equal('2025-12-31T23:59:59.999Z');
  });
});
