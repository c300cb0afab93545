import { expect } from 'chai';
import type { ImportedOperator } from '../../../../engine/ranking/index.ts';
import { openRankingWorld, type RankingWorld } from '../../../support/ranking-world.ts';

const OPERATORS = 1_200;
const MINUTE_MS = 60_000;

const rethrow = (error: unknown): never => {
  throw error;
};

describe('the healer', () => {
  let world: RankingWorld;

  beforeEach(async () => {
    world = await openRankingWorld();
  });

  afterEach(() => world.close());

  function operatorOf(index: number): ImportedOperator {
    const counts = { input: 1_000, output: 10 + index, cache_read: 500, cache_write: 1 };
    const usage = [{ ledger: 'ledger-one', platform: 'codex-cli', epoch: 0, asOf: world.now, counts }];
    return { codename: `imported-${index}`, displayName: null, usage };
  }

  it('finds the last of many who were amended in the same millisecond', async () => {
    const onBoard = Array.from({ length: OPERATORS - 1 }, (_, index) => operatorOf(index));
    await world.ranking.operators.import(onBoard);
    await world.ranking.rebuildBoard();
    await world.ranking.operators.import([operatorOf(OPERATORS - 1)]);
    const operators = world.connection.collection('operators');
    expect(await operators.distinct('amended_at')).to.deep.equal([new Date(world.now)]);

    world.now += MINUTE_MS;
    expect(await world.ranking.healOperators()).to.equal(1);
    const committer = world.ranking.createCommitter(() => undefined, rethrow);
    await committer.tick();
    await committer.close();
    const reader = await world.ranking.openBoardReader(rethrow);
    expect(reader.view().totals.all_time).to.equal(OPERATORS);
    expect(reader.view().tops.all_time[0]?.codename).to.equal(`imported-${OPERATORS - 1}`);
    await reader.close();
    expect(await world.ranking.healOperators()).to.equal(0);
  });
});
