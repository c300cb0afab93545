import { expect } from 'chai';
import { HOUR_MS, MINUTE_MS } from '../../../../config/units.ts';
import { entitlementOf, PricesNotSetUpError, StripeUnavailableError } from '../../../../engine/billing/index.ts';
import { useFixture } from '../../../support/use-fixture.ts';
import { openBilling } from '../open-billing.ts';

describe('subscribing', () => {
  const opened = useFixture(openBilling);
  let operator = 0;

  before(() => opened().card.setUp());

  beforeEach(() => {
    operator += 1;
  });

  const wish = (plan: 'monthly' | 'annual' = 'monthly') => ({
    operator,
    subject: `subject-${operator}`,
    email: `somebody-${operator}@example.com`,
    plan,
  });
  const openSessions = (): number =>
    [...opened().stripe.ledger.sessions.values()].filter(
      ({ client_reference_id: subject, status }) => subject === `subject-${operator}` && status === 'open',
    ).length;
  async function checkout(plan: 'monthly' | 'annual' = 'monthly'): Promise<string> {
    const outcome = await opened().card.subscribe(wish(plan));
    if (outcome.kind !== 'checkout') throw new Error(`the outcome is ${outcome.kind}`);
    return outcome.url;
  }

  it('leads to one page for repeated requests in several processes', async () => {
    const cards = [opened().card, opened().another(), opened().another()];
    const outcomes = await Promise.all(
      Array.from({ length: 12 }, (_, index) => (cards[index % 3] ?? opened().card).subscribe(wish())),
    );
    const urls = new Set(outcomes.map((outcome) => (outcome.kind === 'checkout' ? outcome.url : outcome.kind)));
    expect([...urls]).to.have.length(1);
    expect(openSessions()).to.equal(1);
    const customers = [...opened().stripe.ledger.customers.values()].filter(
      (customer) => customer?.metadata['upsilon_subject'] === `subject-${operator}`,
    );
    expect(customers).to.have.length(1);
  });

  it('offers the same page while it is valid, and another for another plan or after its expiry', async () => {
    const first = await checkout();
    expect(await checkout()).to.equal(first);
    const annual = await checkout('annual');
    expect(annual).to.not.equal(first);
    expect(openSessions()).to.equal(1);
    opened().now += 24 * HOUR_MS;
    expect(await checkout('annual')).to.not.equal(annual);
    expect(openSessions()).to.equal(1);
  });

  it('offers no page that ends within ten minutes', async () => {
    const first = await checkout();
    opened().now += 24 * HOUR_MS - 11 * MINUTE_MS;
    expect(await checkout()).to.equal(first);
    opened().now += 2 * MINUTE_MS;
    expect(await checkout()).to.not.equal(first);
    expect(openSessions()).to.equal(1);
  });

  it('is over once it is paid, even when no webhook came', async () => {
    opened().stripe.actions.pay(sessionOf(await checkout()));
    expect(await opened().card.subscribe(wish('annual'))).to.deep.equal({ kind: 'subscribed' });
    const { state, plan, eligible } = entitlementOf(await opened().billing.subscriptionsOf(operator), opened().now);
    expect({ state, plan, eligible }).to.deep.equal({ state: 'active', plan: 'monthly', eligible: true });
    expect(opened().changed).to.include(operator);
    expect(await opened().card.portal(operator)).to.match(/\/portal\/cus_/);
  });

  it('is over when the page is paid while the account is read', async () => {
    const session = sessionOf(await checkout());
    opened().stripe.meanwhile = (request) => {
      if (request !== `GET /v1/checkout/sessions/${session}`) return;
      opened().stripe.meanwhile = () => undefined;
      opened().stripe.actions.pay(session);
    };
    expect(await opened().card.subscribe(wish())).to.deep.equal({ kind: 'subscribed' });
    expect(openSessions()).to.equal(0);
  });

  it('closes the page that was opened while another process opened one for the other plan', async () => {
    const another = opened().another();
    let overtaken: unknown = null;
    opened().stripe.meanwhile = async (request) => {
      if (request !== 'POST /v1/checkout/sessions') return;
      opened().stripe.meanwhile = () => undefined;
      overtaken = await another.subscribe(wish('annual'));
    };
    await checkout();
    expect(overtaken).to.include({ kind: 'checkout', plan: 'annual' });
    expect(openSessions()).to.equal(1);
  });

  it('starts again after a subscription has ended', async () => {
    const first = await checkout();
    const { id } = opened().stripe.actions.pay(sessionOf(first));
    opened().stripe.actions.cancel(id);
    const second = await checkout('annual');
    expect(second).to.not.equal(first);
    expect(opened().stripe.ledger.sessions.get(sessionOf(second))).to.include({ status: 'open' });
    expect(openSessions()).to.equal(1);
  });

  it('has no portal before the first subscription', async () => {
    expect(await opened().card.portal(operator)).to.equal(null);
  });

  it('requires prices that are set up and match the settings', async () => {
    const other = await openBilling();
    try {
      expect(await other.card.subscribe(wish()).catch(String)).to.match(/^PricesNotSetUpError: .*billing setup/);
      expect((await other.card.setUp()).map(({ plan, done }) => [plan, done])).to.deep.equal([
        ['monthly', 'created'],
        ['annual', 'created'],
      ]);
      expect((await other.card.setUp()).map(({ done }) => done)).to.deep.equal(['found', 'found']);
      const [monthly] = other.stripe.ledger.prices.values();
      for (const wrong of [{ currency: 'eur' }, { currency: 'usd', unit_amount: 900 }]) {
        Object.assign(monthly ?? {}, wrong);
        expect(await other.card.subscribe(wish()).catch((error: unknown) => error)).to.be.instanceOf(
          PricesNotSetUpError,
        );
      }
      expect((await other.card.setUp()).map(({ done }) => done)).to.deep.equal(['replaced', 'found']);
      expect((await other.card.subscribe(wish())).kind).to.equal('checkout');
    } finally {
      await other.close();
    }
  });

  it('asks for prices again after five minutes', async () => {
    const lists = (): number => opened().stripe.requests.filter((request) => request === 'GET /v1/prices').length;
    opened().now += 5 * MINUTE_MS;
    const before = lists();
    await checkout();
    opened().now += 5 * MINUTE_MS - 1;
    await checkout();
    expect(lists() - before).to.equal(1);
    opened().now += 1;
    await checkout();
    expect(lists() - before).to.equal(2);
  });

  for (const status of ['past_due', 'unpaid', 'paused', 'trialing'] as const) {
    it(`begins nothing beside a subscription that is ${status}`, async () => {
      const { id } = opened().stripe.actions.pay(sessionOf(await checkout()));
      Object.assign(opened().stripe.ledger.subscriptions.get(id)!, { status });
      expect(await opened().card.subscribe(wish())).to.deep.equal({ kind: 'subscribed' });
    });
  }

  it('and managing it are over for an account that is erased', async () => {
    opened().stripe.actions.pay(sessionOf(await checkout()));
    opened().changed.length = 0;
    await opened().billing.forget(operator);
    expect(opened().changed).to.deep.equal([operator]);
    expect(await opened().card.subscribe(wish())).to.deep.equal({ kind: 'gone' });
    expect(await opened().card.portal(operator)).to.equal(null);
    const { payments } = opened().billing;
    const late = {
      provider: 'stripe',
      kind: 'subscription',
      id: `in_${operator}`,
      amount: 500,
      currency: 'usd',
    } as const;
    await payments.record({ ...late, subject: `subject-${operator}`, occurredAt: opened().now });
    await opened().card.deleteForgotten();
    expect(await payments.ofSubject(`subject-${operator}`, 1), 'recorded while it was erased').to.deep.equal([]);
  });

  it('fails at once while Stripe is dead, and works again soon after', async () => {
    const other = await openBilling();
    try {
      await other.card.setUp();
      other.stripe.condition = 'dead';
      const fail = (): Promise<unknown> => other.card.subscribe(wish()).catch((error: unknown) => error);
      for (let call = 0; call < 6; call += 1) expect(await fail()).to.be.instanceOf(StripeUnavailableError);
      expect(other.reported).to.include('breaker open');
      const asked = other.stripe.requests.length;
      other.reported.length = 0;
      expect(await fail()).to.be.instanceOf(StripeUnavailableError);
      expect(other.reported).to.deep.equal(['list_prices broken']);
      expect(other.stripe.requests.length).to.equal(asked);
    } finally {
      await other.close();
    }
  });
});

function sessionOf(url: string): string {
  return url.split('/').at(-1) ?? '';
}
