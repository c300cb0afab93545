import { expect } from 'chai';
import { Stripe } from 'stripe';
import { createBilling } from '../../../../engine/billing/index.ts';
import type { EventObject } from '../../../support/stripe/objects.ts';
import { setUpPrices } from '../../../support/stripe/set-up-prices.ts';
import { STAND_IN_SECRET } from '../../../support/stripe/stand-in-secrets.ts';
import { StripeStandIn } from '../../../support/stripe/stripe-stand-in.ts';
import { type Answered, openTestApi, TEST_NOW, type TestApi, type TestOperator } from '../../../support/test-api.ts';
import { useFixture } from '../../../support/use-fixture.ts';
import { member } from '../../conformance.ts';

const SUBSCRIBE = '/api/v1/billing/subscribe';
const WEBHOOK = '/api/v1/billing/webhook';
const OTHER_SECRET = 'whsec_another0123456789';

function headersFor(payload: string, secret = STAND_IN_SECRET, at = TEST_NOW): Record<string, string> {
  const timestamp = Math.floor(at / 1_000);
  return { 'stripe-signature': Stripe.webhooks.generateTestHeaderString({ payload, secret, timestamp }) };
}

describe('api: subscriptions', () => {
  const stripe = useFixture(() => StripeStandIn.open(() => test?.now ?? TEST_NOW));
  let test: TestApi;
  let count = 0;
  let somebody: TestOperator;
  const queued: string[] = [];

  before(async () => {
    const billing = stripe().billing({ STRIPE_WEBHOOK_SECRET: `${OTHER_SECRET},${STAND_IN_SECRET}` });
    test = await openTestApi({
      settings: { enforcePlan: true, billing },
      context: ({ billing: real }) => ({
        billing: {
          ...real,
          enqueue: (event) => {
            queued.push(event);
            return real.enqueue(event);
          },
        },
      }),
    });
    await setUpPrices(stripe());
  });

  after(() => test[Symbol.asyncDispose]());

  beforeEach(async () => {
    count += 1;
    somebody = await test.operator(`subscriber-${count}`);
    stripe().condition = 'well';
  });

  const subscribe = (body: unknown = {}): Promise<Answered> => test.post(SUBSCRIBE, somebody.token, body);
  const submit = (): Promise<Answered> => test.post('/api/v1/snapshots', somebody.token, test.snapshot(somebody));

  async function pay(): Promise<string> {
    const { json } = await subscribe();
    const url = String(json?.['checkout_url']);
    return stripe().actions.pay(url.split('/').at(-1) ?? '').id;
  }

  async function deliver(event: EventObject, headers?: Record<string, string>): Promise<Answered> {
    const payload = JSON.stringify(event, null, 2);
    return test.post(WEBHOOK, null, payload, headers ?? headersFor(payload, STAND_IN_SECRET, test.now));
  }

  it('answer a page on which to pay, the same for repeated clicks', async () => {
    const answers = await Promise.all([subscribe(), subscribe(), subscribe({ plan: 'monthly' })]);
    expect(answers.map(({ status }) => status)).to.deep.equal([200, 200, 200]);
    expect(new Set(answers.map(({ json }) => json?.['checkout_url'])).size).to.equal(1);
    expect(answers[0]?.json).to.include({ plan: 'monthly' });
    const annual = await subscribe({ plan: 'annual' });
    expect(annual.json).to.include({ plan: 'annual' });
    expect(annual.json?.['checkout_url']).to.not.equal(answers[0]?.json?.['checkout_url']);
  });

  it('need no body', async () => {
    const authorization = `Bearer ${somebody.token}`;
    const answered = await test.send(SUBSCRIBE, { method: 'POST', headers: { authorization } });
    expect(answered.status).to.equal(200);
    expect(answered.json).to.include({ plan: 'monthly' });
  });

  for (const [body, code] of [
    [{ plan: 'weekly' }, 'plan_invalid'],
    [{ plan: null }, 'plan_invalid'],
    [{ plan: 'monthly', price: 1 }, 'field_unknown'],
    [[], 'body_not_object'],
    ['{"plan":', 'json_malformed'],
  ] as const) {
    it(`refuse ${JSON.stringify(body)}`, async () => {
      const answered = await subscribe(body);
      expect(answered.status).to.equal(400);
      expect(answered.json).to.include({ code });
    });
  }

  it('lead from 402 over payment and webhook to an accepted snapshot', async () => {
    const refused = await submit();
    expect(refused.status).to.equal(402);
    expect(refused.json).to.include({ code: 'plan_required' });
    const detail = refused.json?.['detail'];
    expect(detail).to.include('5.00 USD a month').and.include('http://upsilon.test/account/plan');
    expect(refused.json?.['hint']).to.include('/billing/subscribe');
    await pay();
    for (const event of stripe().deliveries.take())
      expect((await deliver(event)).json).to.deep.equal({ received: true });
    expect((await submit()).json).to.include({ accepted: true });
    const me = await test.get('/api/v1/me', { authorization: `Bearer ${somebody.token}` });
    expect(me.json).to.include({ plan: 'monthly' });
    expect(member(me.json, 'subscription')).to.include({
      state: 'active',
      eligible: true,
      portal_url: 'http://upsilon.test/account/portal',
      ends_at: null,
    });
    expect(Date.parse(String(member(me.json, 'subscription', 'renews_at')))).to.be.greaterThan(test.now);
  });

  it('are for a customer with the address of the account', async () => {
    const address = `payer-${count}@example.com`;
    const mailed = { provider: 'email_magic_link', subject: address, label: address, verifiedEmail: address } as const;
    await test.accounts.identities.link(somebody.operator, mailed, null);
    await subscribe();
    expect([...stripe().ledger.customers.values()].at(-1)).to.include({ email: address });
  });

  it('end with an erasure, and what was paid stays without a link to the account', async () => {
    await pay();
    for (const event of stripe().deliveries.take()) await deliver(event);
    const { payments, subscriptionsOf } = createBilling({ connection: test.connection });
    const { subject = '' } = (await test.accounts.byOperator(somebody.operator)) ?? {};
    expect(await payments.ofSubject(subject, 10)).to.have.length(1);
    const headers = { authorization: `Bearer ${somebody.token}` };
    expect((await test.send('/api/v1/me', { method: 'DELETE', headers })).status).to.equal(200);
    expect(await payments.ofSubject(subject, 10)).to.deep.equal([]);
    expect(await subscriptionsOf(somebody.operator)).to.deep.equal([]);
  });

  it('are not started for an account that is being erased', async () => {
    await subscribe();
    await createBilling({ connection: test.connection }).forget(somebody.operator);
    const answered = await subscribe();
    expect(answered.status).to.equal(401);
    expect(answered.json).to.include({ code: 'account_unknown' });
  });

  it('are refused to subscribers, with the page that manages the subscription', async () => {
    await pay();
    const answered = await subscribe({ plan: 'annual' });
    expect(answered.status).to.equal(400);
    expect(answered.json).to.include({ code: 'already_subscribed' });
    expect(member(answered.json, 'links', 'portal')).to.match(/\/portal\/cus_/);
  });

  it('end at once when the money goes back', async () => {
    const id = await pay();
    for (const event of stripe().deliveries.take()) await deliver(event);
    expect((await submit()).status).to.equal(200);
    stripe().actions.refund(stripe().actions.chargeOf(id).id);
    for (const event of stripe().deliveries.take()) await deliver(event);
    expect((await submit()).status).to.equal(402);
  });

  it('take webhooks signed with either secret, and no others', async () => {
    await pay();
    const [event] = stripe().deliveries.take();
    if (event === undefined) throw new Error('there is no event');
    const payload = JSON.stringify(event, null, 2);
    expect((await deliver(event, headersFor(payload, OTHER_SECRET, test.now))).status).to.equal(200);
    for (const headers of [
      {},
      { 'stripe-signature': 't=1,v1=00' },
      headersFor(payload, 'whsec_nobody0123456789', test.now),
      headersFor(`${payload} `, STAND_IN_SECRET, test.now),
      headersFor(payload, STAND_IN_SECRET, test.now - 301_000),
    ]) {
      const answered = await deliver(event, headers);
      expect(answered.status).to.equal(400);
      expect(answered.json).to.include({ code: 'webhook_signature_invalid' });
    }
  });

  it('queue an event once, however often it is delivered, and none of a type without use', async () => {
    await pay();
    const [event] = stripe().deliveries.take();
    if (event === undefined) throw new Error('there is no event');
    queued.length = 0;
    for (let delivery = 0; delivery < 3; delivery += 1) expect((await deliver(event)).status).to.equal(200);
    const unused = JSON.stringify(stripeEvent());
    const received = await test.post(WEBHOOK, null, unused, headersFor(unused, STAND_IN_SECRET, test.now));
    expect(received.json).to.deep.equal({ received: true });
    expect(received.headers.get('ratelimit-policy')).to.match(/^"webhooks";/);
    expect(queued).to.deep.equal([event.id]);
  });

  it('take an event as large as they come, and none that is larger', async () => {
    const event = { ...stripeEvent(), padding: 'x'.repeat(400_000) };
    const payload = JSON.stringify(event);
    const large = await test.post(WEBHOOK, null, payload, headersFor(payload, STAND_IN_SECRET, test.now));
    expect(large.status).to.equal(200);
    const larger = await test.post(WEBHOOK, null, JSON.stringify({ ...event, more: 'x'.repeat(200_000) }));
    expect(larger.json).to.include({ code: 'body_too_large' });
  });

  it('are unavailable while the payment provider does not respond, and delay no other request', async () => {
    stripe().condition = 'erring';
    const answered = await subscribe();
    expect(answered.status).to.equal(500);
    expect(answered.json).to.include({ code: 'payment_provider_unavailable' });
    expect((await test.get('/api/v1/leaderboard')).status).to.equal(200);
  });

  it('are in the API description with their price, and the webhook is not', async () => {
    const { json } = await test.get('/openapi.json');
    const operation = member(json, 'paths', '/billing/subscribe', 'post');
    expect(Object.keys(Object(member(operation, 'responses')))).to.have.members(['200', '400', '401', '429', '500']);
    expect(member(operation, 'x-payment-info')).to.include({ method: 'card', amount: '5.00', currency: 'USD' });
    expect(member(operation, 'requestBody', 'required')).to.equal(false);
    expect(member(json, 'components', 'schemas', 'SubscriptionRequest', 'additionalProperties')).to.equal(false);
    expect(member(json, 'components', 'schemas', 'SubscriptionRequest', 'properties', 'plan', 'enum')).to.deep.equal([
      'monthly',
      'annual',
    ]);
    expect(member(json, 'paths', '/billing/webhook')).to.equal(undefined);
  });
});

describe('api: subscriptions that are not set up', () => {
  it('are a clear problem without a payment provider', async () => {
    await using test = await openTestApi();
    const { token } = await test.operator('no-provider');
    for (const [path, bearer] of [
      [SUBSCRIBE, token],
      [WEBHOOK, null],
    ] as const) {
      const answered = await test.post(path, bearer, {});
      expect(answered.status).to.equal(400);
      expect(answered.json).to.include({
        code: 'billing_not_configured',
        hint: 'Ask the people who run this service.',
      });
    }
    const me = await test.get('/api/v1/me', { authorization: `Bearer ${token}` });
    expect(me.json).to.include({ plan: 'free' });
    expect(member(me.json, 'subscription')).to.deep.equal({
      state: 'none',
      eligible: false,
      plan: null,
      renews_at: null,
      ends_at: null,
      portal_url: null,
    });
  });

  it('are a clear problem without prices at the provider', async () => {
    await using stripe = await StripeStandIn.open(() => TEST_NOW);
    await using test = await openTestApi({ settings: { billing: stripe.billing() } });
    const { token } = await test.operator('no-prices');
    expect((await test.post(SUBSCRIBE, token, {})).json).to.include({ code: 'billing_not_configured' });
  });

  it('let those submit who were given a plan', async () => {
    await using test = await openTestApi({ settings: { enforcePlan: true } });
    const given = await test.operator('given-plan');
    await test.accounts.setPlan(given.operator, 'sponsored');
    expect((await test.post('/api/v1/snapshots', given.token, test.snapshot(given))).status).to.equal(200);
    const me = await test.get('/api/v1/me', { authorization: `Bearer ${given.token}` });
    expect(me.json).to.include({ plan: 'sponsored' });
  });
});

function stripeEvent(): Record<string, unknown> {
  return { id: 'evt_large', object: 'event', type: 'customer.updated', created: 1, data: { object: { id: 'cus_x' } } };
}
