import { expect } from 'chai';
import { type Connection, MIGRATIONS, migrate, openMongo } from '../../../../engine/mongo/index.ts';
import { freshDatabase } from '../../../support/engines.ts';

const AT = new Date(Date.UTC(2031, 4, 7));

const claim = (operator: number, _id: string) => ({ _id, operator, verified_at: AT });

describe('the migration that adds vouchers to addresses', () => {
  let connection: Connection;

  before(async () => {
    connection = await openMongo((await freshDatabase()).mongoUrl);
  });

  after(async () => {
    await connection.dropDatabase();
    await connection.close();
  });

  it('releases addresses without vouchers, keeps the others, and can be repeated', async () => {
    const addresses = connection.collection<{ _id: string; operator: number; vouchers?: string[] }>('addresses');
    const identities = connection.collection<{ _id: string; operator: number; email: string | null }>('identities');
    await connection.collection<{ _id: number }>('operators').insertOne({ _id: 1 });
    await identities.insertMany([
      { _id: 'github:1', operator: 1, email: 'now@one.example' },
      { _id: 'email_magic_link:now@one.example', operator: 1, email: 'now@one.example' },
      { _id: 'github:2', operator: 2, email: 'former@one.example' },
      { _id: 'twitter:3', operator: 3, email: null },
    ]);
    await addresses.insertMany([
      claim(1, 'former@one.example'),
      claim(1, 'now@one.example'),
      claim(3, 'unlinked@three.example'),
      { ...claim(4, 'new@four.example'), vouchers: ['github:4'] },
    ]);
    await migrate(connection, { migrations: MIGRATIONS, clock: Date.now });
    const kept = [
      { ...claim(4, 'new@four.example'), vouchers: ['github:4'] },
      { ...claim(1, 'now@one.example'), vouchers: ['email_magic_link:now@one.example', 'github:1'] },
    ];
    expect(await addresses.find().sort({ _id: 1 }).toArray()).to.deep.equal(kept);
    await MIGRATIONS.find(({ name }) => name.startsWith('addresses'))?.run(connection);
    expect(await addresses.find().sort({ _id: 1 }).toArray()).to.deep.equal(kept);
  });
});
