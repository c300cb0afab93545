import { expect } from 'chai';
import { DAY_MS, HOUR_MS } from '../../../../config/units.ts';
import type { ImportedOperator, Ranking } from '../../../../engine/ranking/index.ts';
import { entriesOn } from '../../../support/board-entries.ts';
import { importedOperator } from '../../../support/imported-operator.ts';
import { inlineJobs } from '../../../support/inline-jobs.ts';
import { committerOf, submitBatch } from '../../../support/open-engine.ts';
import { openRankingWorld } from '../../../support/ranking-world.ts';
import { rethrow } from '../../../support/rethrow.ts';
import { runSeed, seededRandom } from '../../../support/seeded-random.ts';
import { useFreshFixture } from '../../../support/use-fixture.ts';

const OPERATORS = 150;

async function boardOf(ranking: Ranking): Promise<unknown> {
  const reader = await ranking.openBoardReader(rethrow);
  const { totals, topEntries } = reader.view();
  const profile = await reader.profile('imported-7');
  await reader.close();
  return { totals, topEntries, profile };
}

describe('rebuilt boards', () => {
  const world = useFreshFixture(openRankingWorld);

  function simulate(): ImportedOperator[] {
    const random = seededRandom(2031);
    return Array.from({ length: OPERATORS }, (_, index) => {
      const counts = {
        input: random.integer(0, 5),
        output: random.integer(0, 9),
        cache_read: random.integer(0, 9),
        cache_write: 1,
      };
      const asOf = world().now - random.integer(0, 100) * DAY_MS;
      return importedOperator(`imported-${index}`, asOf, counts);
    });
  }

  async function submit(operator: number, output: number): Promise<void> {
    const entry = world().entry(operator, { input: 1, output, cache_read: 1_000 });
    await submitBatch(world().ranking, [entry]);
  }

  async function topEntries() {
    const reader = await world().ranking.openBoardReader(rethrow);
    await reader.close();
    return reader.view().topEntries;
  }

  it('have the ranks and movements of the commits of an hour', async () => {
    const committer = committerOf(world().ranking);
    const random = seededRandom(runSeed());
    const operators: number[] = [];
    for (const name of ['one', 'two', 'three', 'four', 'five']) operators.push(await world().enrol(`climber-${name}`));
    for (const operator of operators) await submit(operator, operator);
    await committer.tick();
    world().now += HOUR_MS;
    await committer.tick();
    // Closing waits for the compaction that keeps the board of the hour.
    await committer.close();
    world().now += DAY_MS;
    await submit(await world().enrol('climber-since'), random.integer(1, 9));
    await committer.tick();
    await committer.close();
    const movements = new Set<number | null>();
    for (let round = 0; round < 6; round++) {
      if (round === 0) await submit(operators[0]!, 99);
      else if (round === 3) await world().ranking.operators.amend(operators[3]!, { displayName: 'Another Name' });
      else await submit(random.pick(operators), random.integer(1, 20));
      await committer.tick();
      const committed = await topEntries();
      expect(await world().ranking.rebuildBoard()).to.equal(true);
      expect(await topEntries(), `after commit ${round}, seed ${random.seed}`).to.deep.equal(committed);
      for (const { movement_24h } of committed.all_time) movements.add(movement_24h);
    }
    expect(movements.has(null), 'of the one who has no former rank').to.equal(true);
    expect(movements.size).to.be.above(2);
    await committer.close();
  });

  it('include the changes of commits', async () => {
    const committer = committerOf(world().ranking);
    await submit(await world().enrol('committed-before'), 7);
    const unlisted = await world().enrol('no-longer-listed');
    await submit(unlisted, 9);
    await committer.tick();
    await world().ranking.operators.amend(unlisted, { listed: false });
    await committer.close();
    expect(await world().ranking.rebuildBoard()).to.equal(true);
    const reader = await world().ranking.openBoardReader(rethrow);
    const entries = await entriesOn(reader, 'all_time', 0, 9);
    await reader.close();
    expect(entries.map(({ codename, rank }) => [codename, rank])).to.deep.equal([['committed-before', 1]]);
  });

  it('are not created while a re-rank is running', async () => {
    await world().ranking.rerank.start({ kind: 'preview', methodology: 2 });
    const outcome = await world().ranking.rebuildBoard().catch(String);
    expect(outcome).to.include('a re-rank is running');
  });

  it('end the option to roll back to a board that lacks what they found', async () => {
    const { ranking } = world();
    const jobs = inlineJobs();
    await ranking.rerank.start({ kind: 'activate', methodology: 2 });
    await ranking.rerank.supervise(jobs);
    await jobs.work(ranking);
    expect((await ranking.rerank.status()).methodology).to.equal(2);
    expect(await ranking.rebuildBoard()).to.equal(true);
    expect(await ranking.rerank.rollBack()).to.deep.equal({ kind: 'nothing' });
  });

  it('equal the boards of commits', async () => {
    const operators = simulate();
    const first = await world().ranking.operators.import(operators);
    expect(await world().ranking.rebuildBoard()).to.equal(true);
    const rebuilt = await boardOf(world().ranking);
    expect(rebuilt).to.have.nested.property('topEntries.all_time.length', 100);

    const other = await openRankingWorld();
    try {
      expect(await other.ranking.operators.import(operators)).to.equal(first);
      await other.ranking.reconcileOperators();
      other.now += 60_000;
      await other.ranking.reconcileOperators();
      const committer = committerOf(other.ranking);
      while (await committer.tick()) continue;
      await committer.close();
      expect(await boardOf(other.ranking)).to.deep.equal(rebuilt);
    } finally {
      await other.close();
    }
  });

  it('accept further commits, also of a committer that has the former board in memory', async () => {
    const committer = committerOf(world().ranking);
    await committer.tick();
    await world().ranking.operators.import(simulate());
    await world().ranking.rebuildBoard();
    await submit(await world().enrol('late-comer'), 1_000);
    await committer.tick();
    const reader = await world().ranking.openBoardReader(rethrow);
    expect(reader.view().topEntries.all_time[0]?.codename).to.equal('late-comer');
    expect(reader.view().topEntries.all_time).to.have.lengthOf(100);
    await reader.close();
    await committer.close();
  });
});
