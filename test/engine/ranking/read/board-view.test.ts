import { expect } from 'chai';
import { HOUR_MS } from '../../../../config/units.ts';
import { OPERATOR_PAGE_SLOTS } from '../../../../engine/ranking/core/board/base-run.ts';
import { createPageCache } from '../../../../engine/ranking/read/page-cache.ts';
import { openStores } from '../../../../engine/ranking/storage/stores.ts';
import { entriesOn } from '../../../support/board-entries.ts';
import { importedOperator } from '../../../support/imported-operator.ts';
import { openRankingWorld, WORLD_START } from '../../../support/ranking-world.ts';
import { rethrow } from '../../../support/rethrow.ts';
import { runSeed, seededRandom } from '../../../support/seeded-random.ts';
import { useFixture } from '../../../support/use-fixture.ts';

const OPERATORS = 60;
const TIERS = [0, 0.1, 1, 10, 100, 1_000, 10_000, 100_000];

interface Member {
  readonly codename: string;
  readonly input: number;
  readonly output: number;
  readonly cacheRead: number;
  readonly yield_: number;
}

function omit(object: object, ...names: readonly string[]): Record<string, unknown> {
  return Object.fromEntries(Object.entries(object).filter(([name]) => !names.includes(name)));
}

describe('a board view', () => {
  const seed = runSeed();
  const world = useFixture(openRankingWorld);

  let population: Member[] = [];

  /** Rank by definition: 1 + the number of others with a strictly greater Yield. */
  const rankAmong = (yield_: number, without: string): number =>
    1 + population.filter((other) => other.codename !== without && other.yield_ > yield_).length;

  before(async () => {
    const random = seededRandom(seed);
    population = Array.from({ length: OPERATORS }, (_, index) => {
      const [input, output, cacheRead] = [random.integer(1, 4), random.integer(0, 4), random.integer(0, 40)];
      return { codename: `asked-${index}`, input, output, cacheRead, yield_: (cacheRead * output) / (input * input) };
    });
    await world().ranking.operators.import(
      population.map(({ codename, input, output, cacheRead }) => {
        const counts = { input, output, cache_read: cacheRead, cache_write: 0 };
        return importedOperator(codename, WORLD_START - HOUR_MS, counts, 'editor');
      }),
    );
    await world().ranking.rebuildBoard();
  });
  const reader = useFixture(() => world().ranking.openBoardReader(rethrow));

  function countFrom(yield_: number): number {
    return population.filter((operator) => operator.yield_ >= yield_).length;
  }

  it(`finds where each tier lies, ties at its beginning included (seed ${seed})`, async () => {
    const ranges = await reader().withBoardView((board) => board.tierRanges('all_time'));
    const below = [null, ...TIERS.toReversed().slice(0, -1)];
    expect(ranges.map((range) => omit(range, 'name'))).to.deep.equal(
      TIERS.toReversed().map((from, index) => {
        const next = below[index] ?? null;
        return { from, below: next, start: next === null ? 0 : countFrom(next), end: countFrom(from) };
      }),
    );
  });

  it(`simulates the standing of other totals (seed ${seed})`, async () => {
    const changes = [
      { input: 1, output: 1, cache_read: 1 },
      { input: 0.5, output: 1, cache_read: 1 },
      { input: 1, output: 2, cache_read: 1 },
      { input: 1, output: 1, cache_read: 0 },
      { input: 0, output: 1, cache_read: 1 },
    ];
    for (const { codename, input, output, cacheRead } of population.slice(0, 20)) {
      const simulated = await reader().withBoardView((board) => board.simulate(codename, 'all_time', changes));
      for (const [index, change] of changes.entries()) {
        const [i, o, c] = [input * change.input, output * change.output, cacheRead * change.cache_read];
        const yield_ = (c * o) / (i * i);
        if (i === 0) expect(simulated?.[index]).to.equal(null);
        else expect(simulated?.[index]).to.deep.include({ yield_, rank: rankAmong(yield_, codename) });
      }
    }
  });

  it('reads rows as entries without movement', async () => {
    await reader().withBoardView(async (board) => {
      const entries = await entriesOn(board, 'all_time', 3, 7);
      const rows = await board.rows('all_time', 3, 7);
      expect(rows).to.deep.equal(entries.map((entry) => omit(entry, 'movement_24h', 'movement_7d')));
      expect(await board.rows('all_time', OPERATORS, 10)).to.deep.equal([]);
    });
  });

  it('has no entry in a base run that ends with a page for the operator after it', async () => {
    const pages = createPageCache(openStores(world().connection).parts);
    expect(await pages.baseRunRanks({ id: 'full', slots: OPERATOR_PAGE_SLOTS }, OPERATOR_PAGE_SLOTS)).to.equal(null);
  });

  it('returns null for unknown operators, and similar codenames', async () => {
    await reader().withBoardView(async (board) => {
      expect(await board.profile('asked-xx')).to.equal(null);
      const page = await board.page({ window: '7d', limit: 1, start: { around: 'asked-xx' }, at: null });
      expect(page.kind).to.equal('operator_unknown');
      expect(await board.simulate('asked-xx', '7d', [])).to.equal(null);
      expect(await board.codenamesLike('ASKED-5X', 2)).to.deep.equal(['asked-5', 'asked-50']);
    });
  });
});
