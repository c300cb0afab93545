import { expect } from 'chai';
import { mongo } from 'mongoose';
import { DAY_MS } from '../../../../config/units.ts';
import { MIGRATIONS } from '../../../../engine/mongo/index.ts';
import { openRankingWorld } from '../../../support/ranking-world.ts';

interface Stored {
  _id: number;
  totals: mongo.Binary;
  statistics?: mongo.Binary;
}

/** Totals of version 6: of each window its counts, then its statistics. */
function joined({ totals, statistics }: Stored): mongo.Binary {
  const windows = [0, 1, 2, 3].flatMap((window) =>
    [totals, statistics!].map(({ buffer }) => buffer.subarray(window * 32, window * 32 + 32)),
  );
  return new mongo.Binary(Buffer.concat(windows));
}

describe('the migration of totals to counts alone', () => {
  it('keeps the counts, and the next hour computes the same statistics; it can be repeated', async () => {
    const world = await openRankingWorld();
    try {
      const counts = { input: 20_000, output: 9_000, cache_read: 900_000, cache_write: 7 };
      const usage = [3, 2, 1].map((days) => {
        const grown = { ...counts, output: counts.output * (4 - days), cache_read: counts.cache_read * (4 - days) };
        return { ledger: 'ledger-one', platform: 'codex', epoch: 0, asOf: world.now - days * DAY_MS, counts: grown };
      });
      await world.ranking.operators.import([{ codename: 'older-row', displayName: null, usage }]);
      await world.enrol('empty-row');
      const operators = world.connection.collection<Stored>('operators');
      const read = () =>
        operators
          .find()
          .sort({ _id: 1 })
          .map(({ _id, totals, statistics }) => ({
            _id,
            totals: totals.toString('hex'),
            statistics: statistics?.toString('hex'),
          }))
          .toArray();
      const before = await read();
      for (const record of await operators.find().toArray()) {
        const totals = joined(record);
        await operators.updateOne({ _id: record._id }, { $set: { totals }, $unset: { statistics: 1 } });
      }
      const migration = MIGRATIONS.find(({ version }) => version === 7)!;
      await migration.run(world.connection);
      await migration.run(world.connection);
      await world.ranking.advanceHour();
      const [filled, empty] = await read();
      expect(filled).to.deep.equal(before[0]);
      expect(empty!.totals).to.equal(before[1]!.totals);
    } finally {
      await world.close();
    }
  });
});
