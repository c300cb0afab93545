import { expect } from 'chai';
import * as fc from 'fast-check';
import { Stripe } from 'stripe';
import { DAY_MS } from '../../../../config/units.ts';
import { type Entitlement, entitlementOf, type Payment } from '../../../../engine/billing/index.ts';
import { runsOf } from '../../../support/long-run.ts';
import type { Actions } from '../../../support/stripe/actions.ts';
import type { Delivery } from '../../../support/stripe/deliveries.ts';
import type { EventObject } from '../../../support/stripe/objects.ts';
import { STAND_IN_SECRET } from '../../../support/stripe/stand-in-secrets.ts';
import { useFixture } from '../../../support/use-fixture.ts';
import { openBilling, subscribe } from '../open-billing.ts';

const RUNS = runsOf(6, 50);

/** What may happen to a subscription. */
const STEPS: Readonly<Record<string, (actions: Actions, id: string) => void>> = {
  renew: (actions, id) => actions.renew(id),
  fail: (actions, id) => actions.renew(id, false),
  payLate: (actions, id) => actions.payLate(id),
  giveUp: (actions, id) => actions.giveUp(id),
  cancelAtPeriodEnd: (actions, id) => actions.cancelAtPeriodEnd(id),
  keep: (actions, id) => actions.cancelAtPeriodEnd(id, false),
  cancel: (actions, id) => actions.cancel(id),
  pause: (actions, id) => actions.pause(id),
  resume: (actions, id) => actions.resume(id),
};

const FATES: readonly (readonly [string, (actions: Actions, id: string) => void, string])[] = [
  ['paid', () => undefined, 'active'],
  ['renewed', (actions, id) => actions.renew(id), 'active'],
  ['a failed renewal', (actions, id) => actions.renew(id, false), 'grace'],
  ['given up', (actions, id) => actions.giveUp(id), 'unpaid'],
  ['cancelled at the end of the period', (actions, id) => actions.cancelAtPeriodEnd(id), 'ending'],
  ['cancelled now', (actions, id) => actions.cancel(id), 'ending'],
  ['ended for want of payment', (actions, id) => actions.cancel(id, 'payment_failed'), 'ended'],
  ['paused', (actions, id) => actions.pause(id), 'paused'],
  ['refunded in part', (actions, id) => actions.refund(actions.chargeOf(id).id, 100), 'active'],
  ['refunded', (actions, id) => actions.refund(actions.chargeOf(id).id), 'refunded'],
  ['disputed', (actions, id) => void actions.dispute(actions.chargeOf(id).id), 'active'],
  [
    'a dispute that is lost',
    (actions, id) => actions.closeDispute(actions.dispute(actions.chargeOf(id).id), 'lost'),
    'disputed',
  ],
  [
    'a dispute that is won',
    (actions, id) => actions.closeDispute(actions.dispute(actions.chargeOf(id).id), 'won'),
    'active',
  ],
  [
    'renewed after a refund',
    (actions, id) => {
      actions.refund(actions.chargeOf(id).id);
      actions.renew(id);
    },
    'active',
  ],
];

describe('events of Stripe', () => {
  const opened = useFixture(openBilling);
  let operator = 0;

  before(() => opened().card.setUp());

  /** Another operator, who has just paid; Stripe's events about it are not delivered yet. */
  const subscribed = (): Promise<string> => subscribe(opened(), ++operator);

  const standing = async (): Promise<Entitlement> =>
    entitlementOf(await opened().billing.subscriptionsOf(operator), opened().now);
  const paid = (): Promise<readonly Payment[]> => opened().billing.payments.ofSubject(`subject-${operator}`, 100);
  const money = async (): Promise<string[]> => (await paid()).map(({ kind, amount }) => `${kind} ${amount}`).sort();

  function receive(event: EventObject, { secret = STAND_IN_SECRET, ageMs = 0, tamper }: Delivery = {}) {
    const payload = JSON.stringify(event);
    const timestamp = Math.floor((opened().now - ageMs) / 1_000);
    const signature = Stripe.webhooks.generateTestHeaderString({ payload, secret, timestamp });
    return opened().card.events.receive({ body: Buffer.from(tamper?.(payload) ?? payload), signature });
  }

  /** Lets the events that wait arrive and be applied. */
  async function deliver(events = opened().stripe.deliveries.take(), card = opened().card): Promise<void> {
    for (const event of events) {
      const received = await receive(event);
      if ('id' in received) await card.events.apply(received.id);
    }
  }

  it('make a plan and a record of what was paid', async () => {
    await subscribed();
    expect(await standing()).to.include({ eligible: false, state: 'none' });
    await deliver();
    expect(await standing()).to.deep.equal({
      eligible: true,
      state: 'active',
      plan: 'monthly',
      renewsAt: opened().now + 30 * DAY_MS,
      endsAt: null,
    });
    const [payment] = await paid();
    expect(payment).to.include({ provider: 'stripe', kind: 'subscription', amount: 500, currency: 'usd' });
    expect(payment?.references).to.have.keys('invoice_number', 'subscription', 'payment_intent');
  });

  for (const [what, price] of [
    ['another product', { product: 'prod_stickers' }],
    ['another period', { recurring: { interval: 'month', interval_count: 3 } }],
    ['a single payment', { recurring: null }],
  ] as const) {
    it(`of a subscription to ${what} give no plan, and do not prevent one`, async () => {
      const id = await subscribed();
      await deliver();
      const subscription = opened().stripe.ledger.subscriptions.get(id)!;
      const [item] = subscription.items.data;
      Object.assign(item, { price: { ...item.price, ...price } });
      await opened().card.refresh(operator);
      expect(await standing()).to.include({ eligible: false, state: 'none' });
      const wish = { operator, subject: `subject-${operator}`, email: null, plan: 'annual' } as const;
      expect((await opened().card.subscribe(wish)).kind).to.equal('checkout');
    });
  }

  it('of a subscription to the product and another give the plan', async () => {
    const id = await subscribed();
    const { items } = opened().stripe.ledger.subscriptions.get(id)!;
    const [item] = items.data;
    const other = { ...item, price: { ...item.price, product: 'prod_stickers' }, current_period_end: 1 };
    Object.assign(items, { data: [other, item] });
    await deliver();
    expect(await standing()).to.include({ eligible: true, plan: 'monthly', renewsAt: opened().now + 30 * DAY_MS });
  });

  it('converge to the state at Stripe, in any order, any number of times, in several processes', async () => {
    const processes = [opened().card, opened().another(), opened().another()];
    const step = fc.constantFrom(...Object.keys(STEPS));
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 6 }), fc.infiniteStream(fc.nat()), async (steps, random) => {
        const id = await subscribed();
        for (const name of steps) {
          opened().now += DAY_MS;
          STEPS[name]?.(opened().stripe.actions, id);
        }
        const events = opened().stripe.deliveries.take();
        const doubled = shuffled([...events, ...events], random);
        // Each delivery has a new signature, as from Stripe.
        await Promise.all(
          processes.map((card, fastPath) =>
            deliver(
              doubled.filter((_, index) => index % processes.length === fastPath),
              card,
            ),
          ),
        );
        const subscriptions = await opened().billing.subscriptionsOf(operator);
        const known = opened().stripe.ledger.subscriptions.get(id);
        expect(subscriptions.map(({ status }) => status)).to.deep.equal([known?.status]);
        const customer = known?.customer;
        const ofCustomer = [...opened().stripe.ledger.charges.values()].filter(
          (charge) => charge.customer === customer,
        );
        const expected = ofCustomer.reduce((sum, { amount, amount_refunded: back }) => sum + amount - back, 0);
        expect((await paid()).reduce((sum, { amount }) => sum + amount, 0)).to.equal(expected);
      }),
      { numRuns: RUNS },
    );
  });

  for (const [what, act, state] of FATES) {
    it(`${what}: ${state}`, async () => {
      const id = await subscribed();
      act(opened().stripe.actions, id);
      await deliver();
      expect((await standing()).state).to.equal(state);
      expect((await standing()).eligible).to.equal(['active', 'ending', 'grace'].includes(state));
    });
  }

  it('leave a failed payment seven days, and a plan that is cancelled its period', async () => {
    const id = await subscribed();
    opened().now += 30 * DAY_MS;
    opened().stripe.actions.renew(id, false);
    await deliver();
    opened().now += 7 * DAY_MS - 1;
    expect(await standing()).to.include({ state: 'grace', eligible: true });
    opened().now += 1;
    expect(await standing()).to.include({ state: 'unpaid', eligible: false });
    opened().stripe.actions.payLate(id);
    opened().stripe.actions.cancelAtPeriodEnd(id);
    await deliver();
    const { state, endsAt } = await standing();
    expect(state).to.equal('ending');
    opened().now = (endsAt ?? 0) - 1;
    expect((await standing()).eligible).to.equal(true);
    opened().now += 1;
    expect((await standing()).eligible).to.equal(false);
  });

  it('record what a refund and a dispute took, and what winning returned', async () => {
    const { actions } = opened().stripe;
    const id = await subscribed();
    actions.refund(actions.chargeOf(id).id, 200);
    actions.renew(id);
    actions.closeDispute(actions.dispute(actions.chargeOf(id).id), 'won');
    await deliver();
    expect(await money()).to.have.members([
      'subscription 500',
      'refund -200',
      'subscription 500',
      'dispute -500',
      'dispute_won 500',
    ]);
  });

  it('record a refund when it has succeeded, and that it returned when it fails after all', async () => {
    const { actions } = opened().stripe;
    const charge = actions.chargeOf(await subscribed()).id;
    const refund = actions.refund(charge, 500, 'pending');
    await deliver();
    expect(await money()).to.deep.equal(['subscription 500']);
    expect((await standing()).state).to.equal('refunded');
    actions.endRefund(refund, 'succeeded');
    await deliver();
    expect(await money()).to.deep.equal(['refund -500', 'subscription 500']);
    actions.endRefund(refund, 'failed');
    await deliver();
    expect(await money()).to.deep.equal(['refund -500', 'refund_failed 500', 'subscription 500']);
    expect((await standing()).state).to.equal('active');
  });

  it('are refused when they are forged, changed, too old, or from the future', async () => {
    await subscribed();
    const [event] = opened().stripe.deliveries.take();
    if (event === undefined) throw new Error('there is no event');
    const forged = { kind: 'forged' };
    expect(await receive(event, { secret: 'whsec_anotherone0123456789' })).to.deep.equal(forged);
    expect(await receive(event, { tamper: (text) => text.replace('customer', 'Customer') })).to.deep.equal(forged);
    expect(await receive(event, { ageMs: 301_000 })).to.deep.equal(forged);
    expect(await receive(event, { ageMs: -302_000 })).to.deep.equal(forged);
    expect(await receive(event, { ageMs: -24 * 3_600_000 })).to.deep.equal(forged);
    const { events } = opened().card;
    expect(await events.receive({ body: Buffer.from(JSON.stringify(event)), signature: undefined })).to.deep.equal(
      forged,
    );
    expect(await events.receive({ body: Buffer.from(''), signature: 't=1,v1=00' })).to.deep.equal(forged);
    expect(await receive(event, { ageMs: 299_000 })).to.deep.equal({ kind: 'stored', id: event.id });
    expect(await receive(event)).to.deep.equal({ kind: 'known', id: event.id });
    expect(await receive(event, { ageMs: -299_000 })).to.deep.equal({ kind: 'known', id: event.id });
    expect(await receive({ ...event, id: 'evt_other', type: 'customer.created' })).to.deep.equal({ kind: 'ignored' });
  });

  it('wait while Stripe is unavailable, and are listed as waiting', async () => {
    await subscribed();
    const [event] = opened().stripe.deliveries.take();
    if (event === undefined) throw new Error('there is no event');
    await receive(event);
    opened().stripe.condition = 'erring';
    expect(await opened().card.events.apply(event.id).catch(String)).to.match(/^StripeUnavailableError/);
    opened().stripe.condition = 'well';
    expect(await opened().card.events.waiting()).to.not.include(event.id);
    opened().now += 31_000;
    expect(await opened().card.events.waiting()).to.include(event.id);
    await opened().card.events.apply(event.id);
    expect(await opened().card.events.waiting()).to.not.include(event.id);
    expect((await standing()).eligible).to.equal(true);
  });

  it('are no longer retried after three days, and deleted later', async () => {
    await opened().card.compare();
    await subscribed();
    const [event] = opened().stripe.deliveries.take();
    if (event === undefined) throw new Error('there is no event');
    await receive(event);
    opened().now += 3 * DAY_MS;
    expect(await opened().card.events.waiting()).to.include(event.id);
    expect(opened().reported.at(-1)).to.match(/^unapplied [1-9]/);
    opened().now += 1;
    expect(await opened().card.events.waiting()).to.deep.equal([]);
    expect(opened().reported.at(-1)).to.equal('unapplied 0');
    // An operator who has mended the reason lets its failed job run again.
    await opened().card.events.deleteOld();
    await opened().card.events.apply(event.id);
    expect((await standing()).eligible).to.equal(true);
    opened().now += 39 * DAY_MS;
    await opened().card.events.deleteOld();
    expect(await receive(event)).to.deep.equal({ kind: 'known', id: event.id });
    opened().now += 2 * DAY_MS;
    await opened().card.events.deleteOld();
    expect(await receive(event)).to.deep.equal({ kind: 'stored', id: event.id });
  });

  it('of an invoice that is gone from Stripe move no money, and are done', async () => {
    await subscribed();
    const [event] = opened().stripe.deliveries.take();
    const object = { ...event!.data.object, id: 'in_gone' };
    await deliver([{ ...event!, id: 'evt_gone', type: 'invoice.paid', data: { object } }]);
    expect(await paid()).to.deep.equal([]);
    expect((await standing()).eligible).to.equal(true);
  });

  it('that were missed are found by a comparison, once', async () => {
    opened().now += 120_000;
    await opened().card.compare();
    await subscribed();
    const made = opened().stripe.deliveries.take().length;
    opened().now += 120_000;
    const compared = await opened().card.compare();
    expect(compared).to.include({ missedEvents: made, differingAccounts: 1 });
    expect((await standing()).eligible).to.equal(true);
    expect(await paid()).to.have.length(1);
    expect(await opened().card.compare()).to.include({ missedEvents: 0, differingAccounts: 0 });
  });

  it('of a customer that was not stored because of a crash find their account', async () => {
    await subscribed();
    const known = [...opened().stripe.ledger.customers.entries()].at(-1);
    operator += 1;
    const [customer = ''] = known ?? [];
    const owner = { upsilon_operator: String(operator), upsilon_subject: `subject-${operator}` };
    const [id] = [opened().stripe.ledger.name('cus')];
    const found = opened().stripe.ledger.customers.get(customer);
    if (found === null || found === undefined) throw new Error('there is no customer');
    opened().stripe.ledger.customers.set(id, { ...found, id, metadata: owner });
    for (const subscription of opened().stripe.ledger.subscriptions.values()) {
      if (subscription.customer === customer) Object.assign(subscription, { customer: id });
    }
    const [event] = opened().stripe.deliveries.take();
    if (event === undefined) throw new Error('there is no event');
    await deliver([{ ...event, data: { object: { ...event.data.object, customer: id } } }]);
    expect((await standing()).eligible).to.equal(true);
  });

  it('of a customer with another subject are not those of the account with its number', async () => {
    const subscription = await subscribed();
    await deliver();
    const { ledger, actions } = opened().stripe;
    const [, known] = [...ledger.customers.entries()].at(-1)!;
    const id = ledger.name('cus');
    const metadata = { upsilon_operator: String(operator), upsilon_subject: 'subject-of-another' };
    ledger.customers.set(id, { ...known!, id, metadata });
    Object.assign(ledger.subscriptions.get(subscription)!, { customer: id });
    actions.renew(subscription);
    await deliver();
    expect(await money()).to.deep.equal(['subscription 500']);
  });

  it('of an account that is forgotten change nothing, and its customer is deleted', async () => {
    const id = await subscribed();
    await deliver();
    const subject = `subject-${operator}`;
    const { customer = '' } = opened().stripe.ledger.subscriptions.get(id) ?? {};
    await opened().billing.forget(operator);
    expect(await opened().billing.subscriptionsOf(operator)).to.deep.equal([]);
    expect(await paid()).to.deep.equal([]);
    opened().stripe.actions.renew(id);
    await deliver();
    expect(await paid()).to.deep.equal([]);
    opened().stripe.condition = 'dead';
    expect(await opened().card.deleteForgotten().catch(String)).to.match(/^StripeUnavailableError/);
    opened().stripe.condition = 'well';
    await opened().card.deleteForgotten();
    expect(opened().stripe.ledger.customers.get(customer)).to.equal(null);
    expect(opened().stripe.ledger.subscriptions.get(id)?.status).to.equal('canceled');
    await deliver();
    await opened().card.deleteForgotten();
    expect(await opened().billing.payments.ofSubject(subject, 10)).to.deep.equal([]);
    const all: Payment[] = [];
    const period = { from: 0, to: Number.MAX_SAFE_INTEGER / 2 };
    for await (const payment of opened().billing.payments.stream(period)) all.push(payment);
    expect(all.filter((payment) => payment.references['subscription'] === id)).to.have.length(2);
  });

  it('of forgotten accounts: a customer whom Stripe refuses to delete does not keep the others', async () => {
    const { stripe, billing, card } = opened();
    const customers: string[] = [];
    for (let round = 0; round < 2; round += 1) {
      customers.push(stripe.ledger.subscriptions.get(await subscribed())?.customer ?? '');
      await deliver();
      await billing.forget(operator);
    }
    const areDeleted = () => customers.map((customer) => stripe.ledger.customers.get(customer) === null);
    stripe.refused.add(`DELETE /v1/customers/${customers[0]}`);
    expect(await card.deleteForgotten().catch(String)).to.match(/^AggregateError: 1 customers/);
    expect(areDeleted()).to.deep.equal([false, true]);
    stripe.refused.clear();
    await card.deleteForgotten();
    expect(areDeleted()).to.deep.equal([true, true]);
  });
});

function shuffled<T>(items: readonly T[], random: Iterable<number>): T[] {
  const numbers = random[Symbol.iterator]();
  return items
    .map((item) => ({ item, at: numbers.next().value ?? 0 }))
    .toSorted((one, other) => one.at - other.at)
    .map(({ item }) => item);
}
