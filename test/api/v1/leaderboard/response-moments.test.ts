import { expect } from 'chai';
import { createResponseMoments } from '../../../../api/v1/leaderboard/response-moments.ts';
import { byWindow } from '../../../../engine/contract/index.ts';
import type { BoardOverview } from '../../../../engine/ranking/index.ts';

const OVERVIEW: BoardOverview = {
  generation: 'g',
  version: 3,
  methodology: 1,
  generatedAt: 0,
  hourBeganAt: 0,
  movementSince: { movement_24h_since: null, movement_7d_since: null },
  totals: { ...byWindow(() => 0), all_time: 4, '7d': 1 },
  topEntries: byWindow(() => []),
};

/** The moments of responses over a board, of a service with `listed` operators, at `now`. */
function openMoments() {
  const world = {
    view: OVERVIEW,
    now: Date.UTC(2026, 0, 1),
    listed: async (): Promise<number> => 7,
    counted: 0,
  };
  const read = createResponseMoments({
    board: { view: () => world.view },
    countListed: () => {
      world.counted += 1;
      return world.listed();
    },
    clock: () => world.now,
  });
  return { world, read };
}

describe('moments of the leaderboard’s responses', () => {
  it('are new after half a minute, with a new count of the listed operators', async () => {
    const { world, read } = openMoments();
    const first = await read();
    expect(first).to.deep.equal({ generated_at: '2026-01-01T00:00:00.000Z', listed_operators: 7 });
    world.listed = async () => 9;
    world.now += 29_999;
    expect(await read()).to.deep.equal(first);
    world.now += 1;
    expect((await read()).generated_at).to.equal('2026-01-01T00:00:30.000Z');
    world.now += 30_000;
    expect((await read()).listed_operators).to.equal(9);
    expect(world.counted).to.equal(3);
  });

  it('are new with each board, and list no fewer operators than any window ranks', async () => {
    const { world, read } = openMoments();
    expect((await read()).listed_operators).to.equal(7);
    world.now += 1;
    world.view = { ...OVERVIEW, generation: 'next', version: 4, totals: { ...OVERVIEW.totals, '30d': 8, all_time: 9 } };
    expect(await read()).to.deep.equal({ generated_at: '2026-01-01T00:00:00.001Z', listed_operators: 9 });
  });

  it('keep the former count when counting fails', async () => {
    const { world, read } = openMoments();
    await read();
    world.listed = () => Promise.reject(new Error('no connection'));
    for (let half = 0; half < 2; half += 1) {
      world.now += 30_000;
      expect((await read()).listed_operators).to.equal(7);
    }
  });

  it('are new when the clock was set back', async () => {
    const { world, read } = openMoments();
    await read();
    world.now -= 1;
    expect((await read()).generated_at).to.equal('2025-12-31T23:59:59.999Z');
  });
});
