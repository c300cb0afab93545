import { expect } from 'chai';
import { type Accounts, createAccounts } from '../../../engine/accounts/index.ts';
import { createBilling } from '../../../engine/billing/index.ts';
import { openCollections } from '../../../engine/billing/mongo/collections.ts';
import { tendAccounts } from '../../../workers/handlers/tend-accounts.ts';
import { openRankingWorld, type RankingWorld } from '../../support/ranking-world.ts';

describe('an erasure that an api began and did not finish', () => {
  let world: RankingWorld;
  let accounts: Accounts;

  before(async () => {
    world = await openRankingWorld();
    accounts = createAccounts({ connection: world.connection, clock: () => world.now });
    await accounts.ensureIndexes();
  });

  after(() => world.close());

  it('is finished by the worker, in billing too: no plan, payments of no account, and a customer to be deleted', async () => {
    const billing = createBilling({ connection: world.connection, clock: () => world.now });
    await billing.ensureIndexes();
    const { accounts: stored } = openCollections(world.connection);
    const operator = await world.enrol('leaver');
    const { subject } = await accounts.create({ operator });
    await stored.insertOne({
      _id: operator,
      subject,
      customer: 'cus_leaver',
      checkout: null,
      subscriptions: [],
      revision: 0,
      forgotten: false,
    });
    await billing.payments.record({
      provider: 'stripe',
      kind: 'subscription',
      id: 'in_leaver',
      amount: 500,
      currency: 'usd',
      occurredAt: world.now,
      references: {},
      subject,
    });
    await accounts.erasures.begin(operator);
    await tendAccounts({ accounts, billing, ranking: world.ranking });
    expect(await stored.findOne({ _id: operator })).to.include({ customer: 'cus_leaver', forgotten: true });
    expect(await billing.payments.ofSubject(subject, 10)).to.deep.equal([]);
    expect(await accounts.byOperator(operator)).to.equal(null);
  });

  it('of another account with the same number, which a restored backup can have, erases nothing', async () => {
    const billing = createBilling({ connection: world.connection, clock: () => world.now });
    const operator = await world.enrol('stays');
    const { subject } = await accounts.create({ operator });
    const erasures = world.connection.collection<{ _id: number }>('erasures');
    const other = { subject_hash: 'of-another-subject', erased_at: new Date(world.now) };
    await erasures.insertOne(Object.assign({ _id: operator }, other));
    await tendAccounts({ accounts, billing, ranking: world.ranking });
    expect(await accounts.byOperator(operator)).to.include({ subject });
    expect(await world.ranking.operators.byNumber(operator)).to.include({ codename: 'stays' });
  });
});
