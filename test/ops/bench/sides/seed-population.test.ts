import { expect } from 'chai';
import * as mongo from '../../../../engine/mongo/index.ts';
import { createRanking } from '../../../../engine/ranking/index.ts';
import { seedPopulation } from '../../../../ops/bench/sides/seed-population.ts';
import { freshDatabase } from '../../../support/engines.ts';
import { rethrow } from '../../../support/rethrow.ts';

/** Failpoints that are reached when maintenance has read operators. */
const READ_OPERATORS: ReadonlySet<string> = new Set([
  'integrity.walked',
  'integrity.findings_recorded',
  'reconcile_operators.compared',
]);

describe('a seeded population', () => {
  it('is on the board, and leaves no maintenance to the workers', async () => {
    const { mongoUrl } = await freshDatabase();
    const connection = await mongo.openMongo(mongoUrl);
    const pages: string[] = [];
    const ranking = createRanking({
      connection,
      clock: Date.now,
      deviceKeys: async () => new Map(),
      sharedSecret: async (name) => name,
      failpoint: (name) => void pages.push(name),
    });
    try {
      await seedPopulation({ mongo, connection, ranking }, 10);
      const reader = await ranking.openBoardReader(rethrow);
      expect(reader.view().totals.all_time).to.equal(10);
      await reader.close();
      pages.length = 0;
      await ranking.maintainIntegrity(async () => undefined);
      await ranking.reconcileOperators();
      expect(pages).to.include('integrity.matches_asserted');
      expect(pages.filter((name) => READ_OPERATORS.has(name))).to.deep.equal([]);
    } finally {
      await connection.close();
    }
  });
});
