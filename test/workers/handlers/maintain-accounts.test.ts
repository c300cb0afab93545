import { expect } from 'chai';
import { DAY_MS } from '../../../config/units.ts';
import { createAccounts } from '../../../engine/accounts/index.ts';
import { createBilling } from '../../../engine/billing/index.ts';
import { openBillingModels } from '../../../engine/billing/mongo/models.ts';
import { maintainAccounts } from '../../../workers/handlers/maintain-accounts.ts';
import { openRankingWorld } from '../../support/ranking-world.ts';
import { useFixture } from '../../support/use-fixture.ts';

describe('maintenance of accounts', () => {
  const world = useFixture(openRankingWorld);
  const accounts = useFixture(() => createAccounts({ connection: world().connection, clock: () => world().now }));

  before(() => accounts().ensureIndexes());

  it('finishes an erasure that an api started, also in billing: no plan, payments without an account, and a customer to delete', async () => {
    const billing = createBilling({ connection: world().connection, clock: () => world().now });
    await billing.ensureIndexes();
    const { accounts: stored } = openBillingModels(world().connection);
    const operator = await world().enrol('leaver');
    const { subject } = await accounts().create({ operator });
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
      occurredAt: world().now,
      references: {},
      subject,
    });
    await accounts().erasures.begin(operator);
    await maintainAccounts({ accounts: accounts(), billing, ranking: world().ranking });
    expect(await stored.findOne({ _id: operator })).to.include({ customer: 'cus_leaver', forgotten: true });
    expect(await billing.payments.ofSubject(subject, 10)).to.deep.equal([]);
    expect(await accounts().byOperator(operator)).to.equal(null);
  });

  it('erases nothing for another account with the same number, as after restoring a backup', async () => {
    const billing = createBilling({ connection: world().connection, clock: () => world().now });
    const operator = await world().enrol('stays');
    const { subject } = await accounts().create({ operator });
    const erasures = world().connection.collection<{ _id: number }>('erasures');
    const other = { subject_hash: 'of-another-subject', erased_at: new Date(world().now) };
    await erasures.insertOne(Object.assign({ _id: operator }, other));
    await maintainAccounts({ accounts: accounts(), billing, ranking: world().ranking });
    expect(await accounts().byOperator(operator)).to.include({ subject });
    expect(await world().ranking.operators.byNumber(operator)).to.include({ codename: 'stays' });
  });

  const supervise = (own: Parameters<typeof maintainAccounts>[0]['accounts'] = accounts()): Promise<void> => {
    const billing = createBilling({ connection: world().connection, clock: () => world().now });
    return maintainAccounts({ accounts: own, billing, ranking: world().ranking });
  };

  it('deletes expired records and codename holds', async () => {
    const operator = await world().enrol('renamed-one');
    await world().ranking.operators.rename(operator, 'other-name');
    await accounts().changes.announce(operator, () => Promise.resolve());
    const kept = async () =>
      Promise.all(
        ['account_changes', 'codename_holds'].map((name) => world().connection.db!.collection(name).countDocuments()),
      );
    const before = await kept();
    await supervise();
    expect(await kept()).to.deep.equal(before);
    world().now += 366 * DAY_MS;
    await supervise();
    const [changes, holds] = await kept();
    expect(changes).to.equal(0);
    expect(holds).to.be.below(before[1]!);
  });

  it('suspends no account that was restored after the suspended ones were read', async () => {
    const operator = await world().enrol('restored-one');
    await accounts().create({ operator });
    await accounts().suspend(operator, true);
    await supervise({
      ...accounts(),
      async suspendedOperators() {
        const read = await accounts().suspendedOperators();
        await accounts().suspend(operator, false);
        return read;
      },
    });
    expect(await world().ranking.operators.suspended()).to.deep.equal([]);
  });
});
