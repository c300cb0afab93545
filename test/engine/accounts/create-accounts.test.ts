import { expect } from 'chai';
import { DAY_MS, MS_PER_SECOND } from '../../../config/units.ts';
import { AUDIT_RETENTION_MS } from '../../../engine/accounts/limits.ts';
import { useFixture } from '../../support/use-fixture.ts';
import { openAccounts, START } from './open-accounts.ts';

describe('accounts', () => {
  const under = useFixture(openAccounts);

  it('are created with an opaque subject and the free plan', async () => {
    const account = await under().accounts.create({ operator: 1 });
    expect(account.subject).to.match(/^[A-Za-z0-9_-]{22}$/);
    expect(account).to.deep.equal({
      subject: account.subject,
      operator: 1,
      plan: 'free',
      suspended: false,
      held_until: null,
      moderator: false,
      created_at: new Date(START).toISOString(),
    });
    expect(await under().accounts.bySubject(account.subject)).to.deep.equal(account);
    expect(await under().accounts.byOperator(1)).to.deep.equal(account);
  });

  it('are one per operator under concurrent creation', async () => {
    const other = await under().another();
    const created = await Promise.all(
      Array.from({ length: 20 }, (_, index) => (index % 2 ? other : under().accounts).create({ operator: 2 })),
    );
    expect(new Set(created.map(({ subject }) => subject)).size).to.equal(1);
  });

  it('keep their plan when they are created again', async () => {
    await under().accounts.create({ operator: 3, plan: 'monthly' });
    expect(await under().accounts.create({ operator: 3, plan: 'annual' })).to.include({ plan: 'monthly' });
  });

  it('of different operators have different subjects', async () => {
    const [first, second] = await Promise.all([4, 5].map((operator) => under().accounts.create({ operator })));
    expect(first?.subject).not.to.equal(second?.subject);
  });

  it('can change plan and be suspended and restored', async () => {
    await under().accounts.create({ operator: 6 });
    expect(await under().accounts.setPlan(6, 'annual')).to.equal(true);
    expect(await under().accounts.suspend(6, true)).to.equal(true);
    expect(await under().accounts.byOperator(6)).to.include({ plan: 'annual', suspended: true });
    expect(await under().accounts.suspend(6, false)).to.equal(true);
    expect(await under().accounts.byOperator(6)).to.include({ plan: 'annual', suspended: false });
  });

  it('that do not exist are null, and a change does not create them', async () => {
    expect(await under().accounts.bySubject('nobody')).to.equal(null);
    expect(await under().accounts.byOperator(99)).to.equal(null);
    expect(await under().accounts.setPlan(99, 'annual')).to.equal(false);
    expect(await under().accounts.suspend(99, true)).to.equal(false);
    expect(await under().accounts.byOperator(99)).to.equal(null);
  });

  it('delete what has expired, and nothing before', async () => {
    const { accounts, connection } = under();
    const person = { provider: 'github', subject: '7', label: 'seven', verifiedEmail: null } as const;
    await accounts.create({ operator: 7 });
    await accounts.identities.link(7, person, null);
    await accounts.sessions.begin({ operator: 7, provider: 'github', identity: 'github:7' });
    await accounts.oneTime.issue({ kind: 'link', data: {}, lifetimeMs: DAY_MS });
    await accounts.oidc.put({ model: 'RefreshToken', id: 'one', payload: {}, lifetimeSeconds: DAY_MS / MS_PER_SECOND });
    await accounts.denials.denySubject('denied');
    const expiring = ['sessions', 'one_time_secrets', 'oidc_records', 'denials', 'account_changes', 'audit_log'];
    const left = async () => {
      await accounts.deleteExpired();
      const counts = await Promise.all(expiring.map((name) => connection.collection(name).countDocuments()));
      return expiring.filter((_, index) => counts[index] !== 0);
    };
    expect(await left()).to.deep.equal(expiring);
    under().now += AUDIT_RETENTION_MS + 1;
    expect(await left()).to.deep.equal([]);
  });

  it('create their indexes as often as asked', async () => {
    await Promise.all([under().accounts.ensureIndexes(), (await under().another()).ensureIndexes()]);
    const indexes = await under().connection.collection('accounts').indexes();
    expect(indexes.map(({ key }) => key)).to.deep.include({ subject: 1 });
  });
});
