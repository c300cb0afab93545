import { expect } from 'chai';
import { MINUTE_MS } from '../../../../config/units.ts';
import type { ImportedOperator } from '../../../../engine/ranking/index.ts';
import { makeVictim } from '../../../faults/victim.ts';
import { importedOperator } from '../../../support/imported-operator.ts';
import { committerOf } from '../../../support/open-engine.ts';
import { openRankingWorld } from '../../../support/ranking-world.ts';
import { rethrow } from '../../../support/rethrow.ts';
import { useFreshFixture } from '../../../support/use-fixture.ts';

const OPERATORS = 1_200;

describe('reconciliation of operators', () => {
  const world = useFreshFixture(openRankingWorld);

  function operatorOf(index: number): ImportedOperator {
    const counts = { input: 1_000, output: 10 + index, cache_read: 500, cache_write: 1 };
    return importedOperator(`imported-${index}`, world().now, counts);
  }

  async function commit(): Promise<void> {
    const committer = committerOf(world().ranking);
    await committer.tick();
    await committer.close();
  }

  /** As a commit does with an intent that was taken for abandoned before its write. */
  async function consumeIntents(): Promise<void> {
    const { deletedCount } = await world()
      .connection.collection('dirty_sets')
      .deleteMany({ prepared_at: { $exists: true } });
    expect(deletedCount).to.equal(1);
  }

  it('finds the last of many operators amended in the same millisecond', async () => {
    const onBoard = Array.from({ length: OPERATORS - 1 }, (_, index) => operatorOf(index));
    await world().ranking.operators.import(onBoard);
    await world().ranking.rebuildBoard();
    await world().ranking.operators.import([operatorOf(OPERATORS - 1)]);
    const operators = world().connection.collection('operators');
    expect(await operators.distinct('amended_at')).to.deep.equal([new Date(world().now)]);

    world().now += MINUTE_MS;
    expect(await world().ranking.reconcileOperators()).to.equal(1);
    await commit();
    const reader = await world().ranking.openBoardReader(rethrow);
    expect(reader.view().totals.all_time).to.equal(OPERATORS);
    expect(reader.view().topEntries.all_time[0]?.codename).to.equal(`imported-${OPERATORS - 1}`);
    await reader.close();
    expect(await world().ranking.reconcileOperators()).to.equal(0);
  });

  it('leaves an operator to the dirty set that contains it', async () => {
    await world().ranking.operators.import([operatorOf(0)]);
    await world().ranking.rebuildBoard();
    const [operator] = await world().connection.collection<{ _id: number }>('operators').distinct('_id');
    await world().ranking.operators.amend(operator!, { displayName: 'Announced' });
    world().now += MINUTE_MS;
    expect(await world().ranking.reconcileOperators()).to.equal(0);
  });

  it('leaves an operator to the write intent that names it, also when its writer is slow or dead', async () => {
    await world().ranking.operators.import([operatorOf(0)]);
    await world().ranking.rebuildBoard();
    const [operator] = await world().connection.collection<{ _id: number }>('operators').distinct('_id');
    const slow = makeVictim(world(), { at: 'amend.written' });
    await slow.reachedBy(slow.engine.operators.amend(operator!, { codename: 'another-name' }));
    world().now += MINUTE_MS;
    expect(await world().ranking.reconcileOperators()).to.equal(0);
    await world().ranking.advanceHour();
    await commit();
    const reader = await world().ranking.openBoardReader(rethrow);
    expect(reader.view().topEntries.all_time[0]?.codename).to.equal('another-name');
    await reader.close();
  });

  for (const meanwhile of ['marked dirty', 'published']) {
    it(`leaves an operator to the batch that changes it, when that is ${meanwhile} meanwhile`, async () => {
      const operator = await world().enrol('harbour-light');
      await world().ranking.rebuildBoard();
      world().now += MINUTE_MS;
      const entries = [world().entry(operator, { input: 10, output: 1, cache_read: 100 })];
      const [appended] = await world().ranking.log.append(entries);
      if (appended?.kind !== 'stored') throw new Error(`the log returned ${appended?.kind}`);
      // When reconciliation reads both, the record differs from the board and is in no dirty set.
      const applying = makeVictim(world(), { at: 'batch.applied' });
      const applied = applying.engine.processBatch(appended.batch, entries);
      await applying.reachedBy(applied);
      const reconciler = makeVictim(world(), { at: 'reconcile_operators.compared' });
      const reconciling = reconciler.engine.reconcileOperators();
      await reconciler.reachedBy(reconciling);
      applying.wake();
      await applied;
      if (meanwhile === 'published') await commit();
      reconciler.wake();
      expect(await reconciling).to.equal(0);
    });
  }

  it('finds a record that a process with a late clock amends after the scan before it crashes', async () => {
    await world().ranking.operators.import([operatorOf(0), operatorOf(1)]);
    await world().ranking.rebuildBoard();
    world().now += MINUTE_MS;
    expect(await world().ranking.reconcileOperators()).to.equal(0);
    const [operator] = await world().connection.collection<{ _id: number }>('operators').distinct('_id');
    for (const change of [{ displayName: 'Late' }, { listed: false }]) {
      const late = makeVictim(world(), { at: 'amend.written' }, { clock: () => world().now - 9 * MINUTE_MS });
      await late.reachedBy(late.engine.operators.amend(operator!, change));
      await consumeIntents();
      expect(await world().ranking.reconcileOperators(), JSON.stringify(change)).to.equal(1);
      await commit();
    }
  });

  it('leaves a record to its writer for five seconds', async () => {
    await world().ranking.operators.import([operatorOf(0)]);
    world().now += 5_000;
    expect(await world().ranking.reconcileOperators()).to.equal(0);
    world().now += 1;
    expect(await world().ranking.reconcileOperators()).to.equal(1);
  });

  it('finds a codename missing from the top entries, and nothing for an unlisted operator', async () => {
    await world().ranking.operators.import([operatorOf(0), operatorOf(1)]);
    await world().ranking.rebuildBoard();
    const [first, second] = await world().connection.collection<{ _id: number }>('operators').distinct('_id');
    const dying = makeVictim(world(), { at: 'amend.written' });
    await dying.reachedBy(dying.engine.operators.amend(first!, { codename: 'another-name' }));
    await consumeIntents();
    world().now += MINUTE_MS;
    expect(await world().ranking.reconcileOperators()).to.equal(1);
    await world().ranking.operators.amend(first!, { listed: false });
    await world().ranking.operators.amend(second!, { listed: false });
    await world().ranking.rebuildBoard();
    world().now += MINUTE_MS;
    expect(await world().ranking.reconcileOperators()).to.equal(0);
  });
});
