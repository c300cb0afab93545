import { expect } from 'chai';
import { HOUR_MS } from '../../../../config/units.ts';
import { readMoment } from '../../../../engine/contract/index.ts';
import { runsOf } from '../../../support/long-run.ts';
import { committerOf } from '../../../support/open-engine.ts';
import { openRankingWorld, WORLD_START } from '../../../support/ranking-world.ts';
import { rethrow } from '../../../support/rethrow.ts';
import { runSeed, seededRandom } from '../../../support/seeded-random.ts';
import { useFixture } from '../../../support/use-fixture.ts';

const OPERATORS = runsOf(1_000, 20_000);
const WALKS = runsOf(2, 20);
const ROWS = 100;

describe('walks of a kept hour', () => {
  const seed = runSeed();
  const world = useFixture(openRankingWorld);

  it(`name nobody twice and leave nobody out while commits run (seed ${seed})`, async () => {
    const { ranking } = world();
    const random = seededRandom(seed);
    await ranking.operators.import(
      Array.from({ length: OPERATORS }, (_, index) => {
        const counts = { input: random.integer(1, 9), output: random.integer(0, 9), cache_read: random.integer(0, 99) };
        const usage = { ledger: 'one', platform: 'editor', epoch: 0, asOf: WORLD_START - HOUR_MS };
        return {
          codename: `walked-${index}`,
          displayName: null,
          usage: [{ ...usage, counts: { ...counts, cache_write: 0 } }],
        };
      }),
    );
    await ranking.rebuildBoard();
    world().now += HOUR_MS;
    await ranking.advanceHour();
    const committer = committerOf(ranking);
    while (await committer.tick());
    await ranking.compactBoard();
    const hour = `${new Date(world().now).toISOString().slice(0, 13)}:00Z`;
    const reader = await ranking.openBoardReader(rethrow);
    const movers = await Promise.all(Array.from({ length: 20 }, (_, index) => world().enrol(`mover-${index}`)));
    const walking = new AbortController();
    const committing = (async () => {
      for (let round = 1; !walking.signal.aborted; round += 1) {
        const entries = movers.map((operator) => world().entry(operator, { input: 1, output: round, cache_read: 50 }));
        const [outcome] = await ranking.log.append(entries);
        if (outcome?.kind !== 'stored') throw new Error('not stored');
        await ranking.processBatch(outcome.batch, entries);
        while (await committer.tick());
        await reader.refresh();
      }
    })();
    const first = reader.view().version;
    for (let walk = 0; walk < WALKS; walk += 1) {
      const names: string[] = [];
      for (let offset = 0; offset < OPERATORS; offset += ROWS) {
        const request = { window: 'all_time', limit: ROWS, start: { offset }, at: readMoment(hour) } as const;
        const page = await reader.page(request);
        if (page.kind !== 'page') throw new Error(page.kind);
        names.push(...page.rows.map(({ codename }) => codename));
      }
      expect(new Set(names).size, `walk ${walk}`).to.equal(OPERATORS);
      expect(names.length, `walk ${walk}`).to.equal(OPERATORS);
    }
    walking.abort();
    await committing;
    expect(reader.view().version, 'versions were published meanwhile').to.be.above(first);
    await reader.close();
    await committer.close();
  });
});
