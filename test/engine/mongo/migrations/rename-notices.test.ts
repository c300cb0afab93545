import { expect } from 'chai';
import { type Connection, MIGRATIONS, openMongo } from '../../../../engine/mongo/index.ts';
import { freshDatabase } from '../../../support/engines.ts';

const AT = new Date(Date.UTC(2031, 4, 7));

describe('the migration of the times of mails about cases', () => {
  let connection: Connection;

  before(async () => {
    connection = await openMongo((await freshDatabase()).mongoUrl);
  });

  after(async () => {
    await connection.dropDatabase();
    await connection.close();
  });

  it('renames them, drops the former indexes, and can be repeated; collections may be absent', async () => {
    const cases = connection.collection<{ _id: string; told_at?: Date | null; tell_since?: Date }>('integrity_cases');
    await cases.insertMany([
      { _id: '1/no-input', told_at: null, tell_since: AT },
      { _id: '2/no-input', told_at: AT },
    ]);
    await cases.createIndex({ tell_since: 1 }, { sparse: true });
    const migration = MIGRATIONS.find(({ version }) => version === 8)!;
    await migration.run(connection);
    await migration.run(connection);
    expect(await cases.find().sort({ _id: 1 }).toArray()).to.deep.equal([
      { _id: '1/no-input', notified_at: null, notify_since: AT },
      { _id: '2/no-input', notified_at: AT },
    ]);
    expect((await cases.indexes()).map(({ name }) => name)).to.deep.equal(['_id_']);
  });
});
