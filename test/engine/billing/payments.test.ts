import { expect } from 'chai';
import type { NewPayment, Payment, PaymentPeriod } from '../../../engine/billing/index.ts';
import { useFixture } from '../../support/use-fixture.ts';
import { openBilling } from './open-billing.ts';

const START = Date.parse('2026-03-01T00:00:00.000Z');
const PAID: NewPayment = {
  provider: 'stripe',
  kind: 'subscription',
  id: 'in_1',
  amount: 500,
  currency: 'usd',
  subject: 'somebody',
  occurredAt: START,
  references: { charge: 'ch_1' },
};

describe('payment records', () => {
  const opened = useFixture(openBilling);

  const listed = async (period: PaymentPeriod): Promise<Payment[]> => {
    const found: Payment[] = [];
    for await (const payment of opened().billing.payments.stream(period)) found.push(payment);
    return found;
  };

  it('count a payment once, however often and with whatever details it is recorded', async () => {
    const { payments } = opened().billing;
    const recorded = await Promise.all(Array.from({ length: 20 }, () => payments.record(PAID)));
    expect(recorded.filter(Boolean)).to.have.length(1);
    expect(await payments.record({ ...PAID, amount: 900 })).to.equal(false);
    expect(await payments.find('stripe', 'subscription', 'in_1')).to.deep.equal({ ...PAID, asset: null });
  });

  it('distinguish provider, kind and id', async () => {
    const { payments } = opened().billing;
    expect(await payments.record({ ...PAID, kind: 'refund', amount: -500 })).to.equal(true);
    expect(await payments.record({ ...PAID, provider: 'x402', kind: 'x402', currency: 'usdc' })).to.equal(true);
    expect(await payments.record({ ...PAID, id: 'in_2', occurredAt: START + 1_000 })).to.equal(true);
  });

  it('are streamed by the time they occurred, the end left out', async () => {
    const all = await listed({ from: START, to: START + 1_001 });
    expect(all).to.have.length(4);
    expect(all.at(-1)?.id).to.equal('in_2');
    expect(await listed({ from: START, to: START + 1_000 })).to.have.length(3);
    expect(await listed({ from: START + 1_001, to: START + 5_000 })).to.deep.equal([]);
  });

  it('stay without their account when it is forgotten', async () => {
    const { payments } = opened().billing;
    const newest = await payments.ofSubject('somebody', 2);
    expect(newest.map(({ occurredAt }) => occurredAt)).to.deep.equal([START + 1_000, START]);
    await payments.forget('somebody');
    expect(await payments.ofSubject('somebody', 10)).to.deep.equal([]);
    expect((await listed({ from: START, to: START + 1_001 })).map(({ subject }) => subject)).to.deep.equal(
      Array.from({ length: 4 }, () => null),
    );
  });

  for (const [what, change] of [
    ['a part of a cent', { amount: 0.5 }],
    ['more than can be counted exactly', { amount: 2 ** 53 }],
    ['no number', { amount: Number.NaN }],
    ['no currency', { currency: 'US$' }],
    ['no id', { id: '' }],
    ['an id without end', { id: 'i'.repeat(257) }],
    [
      'more references than there is room for',
      { references: Object.fromEntries(Array.from({ length: 13 }, (_, n) => [`r${n}`, ''])) },
    ],
    ['no time', { occurredAt: Number.NaN }],
  ] as const) {
    it(`refuse ${what}`, async () => {
      const refused = await opened()
        .billing.payments.record({ ...PAID, id: 'in_3', ...change })
        .catch(String);
      expect(refused).to.match(/^RangeError/);
    });
  }
});
