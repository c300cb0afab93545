import { expect } from 'chai';
import { isCompactionDue } from '../../../../engine/ranking/board/compact-board.ts';
import { openStores } from '../../../../engine/ranking/storage/stores.ts';
import { openRankingWorld, type RankingWorld } from '../../../support/ranking-world.ts';

const HOUR = 540_000;
const HOUR_MS = 3_600_000;

/** A board of the hour whose last kept base is of `kept`, over a base of `slots`, with `size` operators that differ. */
function boardOf(kept: number | null, slots: number, size: number) {
  const history = kept === null ? [] : [{ base: 'base', hour: kept, methodology: 1 }];
  return { manifest: { hour: HOUR, history }, base: { slots }, delta: { size } };
}

describe('isCompactionDue', () => {
  const SIZES = [
    { slots: 0, most: 20_000 },
    { slots: 200_000, most: 20_000 },
    { slots: 200_010, most: 20_001 },
    { slots: 1_000_000, most: 100_000 },
    { slots: 10_000_000, most: 2_350_000 },
  ];

  for (const { slots, most } of SIZES) {
    it(`lets a base of ${slots} slots have ${most} operators that differ, and no more`, () => {
      expect(isCompactionDue(boardOf(HOUR, slots, most))).to.equal(false);
      expect(isCompactionDue(boardOf(HOUR, slots, most + 1))).to.equal(true);
    });
  }

  it('wants a base of every hour, even where nothing differs', () => {
    expect(isCompactionDue(boardOf(null, 10, 0))).to.equal(true);
    expect(isCompactionDue(boardOf(HOUR - 1, 10, 0))).to.equal(true);
    expect(isCompactionDue(boardOf(HOUR, 10, 0))).to.equal(false);
  });
});

describe('a compaction', () => {
  let world: RankingWorld;

  beforeEach(async () => {
    world = await openRankingWorld();
  });

  afterEach(() => world.close());

  it('keeps the first base of an hour as its board, and no later one of that hour', async () => {
    const { board } = openStores(world.connection);
    const operator = await world.enrol('sorted-again');
    const kept: string[] = [(await board.read())!.base];
    for (const hours of [0, 0, 1, 0]) {
      world.now += hours * HOUR_MS;
      const entry = world.entry(operator, { input: 1, output: world.now + kept.length, cache_read: 1 });
      const [stored] = await world.ranking.log.append([entry]);
      if (stored?.kind !== 'stored') throw new Error('not stored');
      await world.ranking.processBatch(stored.batch, [entry]);
      const committer = world.ranking.createCommitter(
        () => undefined,
        (error) => {
          throw error;
        },
      );
      while (await committer.tick());
      await committer.close();
      expect(await world.ranking.compactBoard()).to.equal(true);
      const manifest = (await board.read())!;
      if (hours > 0) kept.push(manifest.history.at(-1)!.base);
      expect(manifest.history.map(({ base }) => base)).to.deep.equal(kept);
    }
    const { history, base } = (await board.read())!;
    expect(history.map(({ hour }) => hour - history[0]!.hour)).to.deep.equal([0, 1]);
    expect(base, 'a later base of the hour').to.not.equal(kept.at(-1));
  });
});
