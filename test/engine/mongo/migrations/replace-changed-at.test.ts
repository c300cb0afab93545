import { expect } from 'chai';
import { type Connection, MIGRATIONS, migrate, openMongo } from '../../../../engine/mongo/index.ts';
import { freshDatabase } from '../../../support/engines.ts';

const CHANGED = new Date(Date.UTC(2031, 4, 7));
const AMENDED = new Date(Date.UTC(2031, 4, 8));

describe('the migration of operators to `amended_at`', () => {
  let connection: Connection;

  beforeEach(async () => {
    connection = await openMongo((await freshDatabase()).mongoUrl);
  });

  afterEach(async () => {
    await connection.dropDatabase();
    await connection.close();
  });

  it('keeps the time, leaves new records unchanged, and drops the former index', async () => {
    const operators = connection.collection<{ _id: number; changed_at?: Date; amended_at?: Date }>('operators');
    await operators.insertMany([
      { _id: 1, changed_at: CHANGED },
      { _id: 2, changed_at: CHANGED, amended_at: AMENDED },
      { _id: 3, amended_at: AMENDED },
    ]);
    await operators.createIndex({ changed_at: 1 });
    await migrate(connection, { migrations: MIGRATIONS, clock: Date.now });
    expect(await operators.find().sort({ _id: 1 }).toArray()).to.deep.equal([
      { _id: 1, amended_at: CHANGED },
      { _id: 2, amended_at: AMENDED },
      { _id: 3, amended_at: AMENDED },
    ]);
    expect((await operators.indexes()).map(({ name }) => name)).to.deep.equal(['_id_']);
  });

  it('can be repeated, and runs without the index', async () => {
    const operators = connection.collection<{ _id: number; changed_at?: Date }>('operators');
    await operators.insertOne({ _id: 1, changed_at: CHANGED });
    const [, second] = MIGRATIONS;
    await second!.run(connection);
    await second!.run(connection);
    expect(await operators.find().toArray()).to.deep.equal([{ _id: 1, amended_at: CHANGED }]);
  });
});
