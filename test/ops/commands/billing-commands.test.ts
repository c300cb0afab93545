import { expect } from 'chai';
import { createBilling } from '../../../engine/billing/index.ts';
import { openDatabase } from '../../support/engines.ts';
import { StripeStandIn } from '../../support/stripe/stripe-stand-in.ts';
import { useFixture } from '../../support/use-fixture.ts';
import { NOW, run } from './run.ts';

describe('commands on billing', () => {
  const database = useFixture(openDatabase);
  const stripe = useFixture(() => StripeStandIn.open(() => NOW));
  const served = () => ({ ...database(), billing: stripe().billing() });

  it('set up the prices, once', async () => {
    const first = await run(served(), ['billing', 'setup']);
    expect(first.out).to.match(/^The monthly price was created: price_.*\nThe annual price was created: price_/);
    expect((await run(served(), ['billing', 'setup'])).out).to.match(/monthly price was found/);
    const dearer = { ...database(), billing: stripe().billing({ PLAN_MONTHLY_CENTS: '900' }) };
    expect((await run(dearer, ['billing', 'setup'])).out).to.match(/monthly price was replaced/);
    expect([...stripe().ledger.prices.values()].map(({ unit_amount: amount }) => amount)).to.deep.equal([
      500, 5_000, 900,
    ]);
  });

  it('compare with Stripe', async () => {
    const { status, out } = await run(served(), ['billing', 'reconcile']);
    expect({ status, out }).to.deep.equal({
      status: 0,
      out: 'Compared 0 accounts: 0 differed and 0 events were missing. All differences are repaired.\n',
    });
  });

  it('report missing settings, and that Stripe does not respond', async () => {
    const without = await run(database(), ['billing', 'setup']);
    expect(without.status).to.equal(1);
    expect(without.err).to.include('Stripe is not configured').and.include('STRIPE_SECRET_KEY');
    stripe().condition = 'erring';
    const dead = await run(served(), ['billing', 'setup']);
    expect(dead.err).to.include('Stripe does not respond').and.not.include('sk_test');
    stripe().condition = 'well';
  });

  describe('export payments', () => {
    const period = ['--from', '2026-02-01', '--to', '2026-03-01'];
    const at = Date.parse('2026-02-10T00:00:00.000Z');

    before(async () => {
      const { payments } = createBilling({ connection: database().connection });
      const paid = { provider: 'stripe', kind: 'subscription', amount: 500, currency: 'usd', occurredAt: at } as const;
      await payments.record({ ...paid, id: 'in_1', subject: 'a "quoted", subject', references: { invoice: 'A-1' } });
      await payments.record({ ...paid, id: 'in_0', occurredAt: Date.parse('2026-01-31T23:59:59.999Z') });
      await payments.record({ ...paid, id: 're_1', kind: 'refund', amount: -500, occurredAt: at + 1 });
      await payments.record({ ...paid, id: 'in_9', occurredAt: Date.parse('2026-03-01T00:00:00.000Z') });
    });

    it('as CSV', async () => {
      const { out } = await run(database(), ['billing', 'payments', 'export', ...period]);
      expect(out.split('\r\n')).to.deep.equal([
        'occurred_at,provider,kind,id,amount,currency,asset,subject,references',
        '2026-02-10T00:00:00.000Z,stripe,subscription,in_1,500,usd,,"a ""quoted"", subject","{""invoice"":""A-1""}"',
        '2026-02-10T00:00:00.001Z,stripe,refund,re_1,-500,usd,,,{}',
        '',
      ]);
    });

    it('as JSON', async () => {
      const { out } = await run(database(), ['billing', 'payments', 'export', ...period, '--format', 'json']);
      const rows: readonly Record<string, unknown>[] = JSON.parse(out);
      expect(rows.map(({ id, amount }) => [id, amount])).to.deep.equal([
        ['in_1', 500],
        ['re_1', -500],
      ]);
      const nothing = ['--from', '2020-01-01', '--to', '2020-01-02T00:00:00Z', '--format', 'json'];
      expect(JSON.parse((await run(database(), ['billing', 'payments', 'export', ...nothing])).out)).to.deep.equal([]);
    });

    for (const [what, args] of [
      ['no period', []],
      ['half a period', ['--from', '2026-02-01']],
      ['an invalid date', ['--from', 'yesterday', '--to', '2026-03-01']],
      ['a period that ends before it begins', ['--from', '2026-03-01', '--to', '2026-02-01']],
      ['an unknown format', [...period, '--format', 'xml']],
    ] as const) {
      it(`not with ${what}`, async () => {
        const { status, out } = await run(database(), ['billing', 'payments', 'export', ...args]);
        expect(status).to.not.equal(0);
        expect(out).to.equal('');
      });
    }
  });
});
