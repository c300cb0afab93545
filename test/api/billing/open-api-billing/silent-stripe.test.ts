import { expect } from 'chai';
import { MINUTE_MS } from '../../../../config/units.ts';
import {
  CALL_FAILURES_TO_BREAK,
  MAX_CONCURRENT_STRIPE_CALLS,
  STRIPE_CALL_RETRIES,
} from '../../../../engine/billing/limits.ts';
import { eventually } from '../../../support/eventually.ts';
import { setUpPrices } from '../../../support/stripe/set-up-prices.ts';
import { StripeStandIn } from '../../../support/stripe/stripe-stand-in.ts';
import { type Answered, openTestApi, TEST_NOW, type TestApi, type TestOperator } from '../../../support/test-api.ts';

/** More than the calls that may be under way at once. */
const SUBSCRIBERS = MAX_CONCURRENT_STRIPE_CALLS + 20;

/** Each failure before the last that Stripe may have gives its turn to one that waits. */
const CALLS_UNTIL_BROKEN = MAX_CONCURRENT_STRIPE_CALLS + CALL_FAILURES_TO_BREAK - 1;

/** Instead of the seconds that a call to Stripe may take. */
const SHORT_CALL_MS = 200;

describe('api: subscriptions while Stripe takes calls and never answers', () => {
  let stripe: StripeStandIn;
  let test: TestApi;
  let people: TestOperator[];

  async function open(stripeCallMs: number): Promise<void> {
    stripe = await StripeStandIn.open(() => test?.now ?? TEST_NOW);
    test = await openTestApi({ settings: { billing: stripe.billing() }, stripeCallMs });
    await setUpPrices(stripe);
    people = await Promise.all(Array.from({ length: SUBSCRIBERS }, (_, index) => test.operator(`silent-${index}`)));
    stripe.condition = 'silent';
    stripe.requests.length = 0;
  }

  afterEach(async () => {
    await test[Symbol.asyncDispose]();
    await stripe[Symbol.asyncDispose]();
  });

  const subscribe = ({ token }: TestOperator): Promise<Answered> => test.post('/api/v1/billing/subscribe', token, {});

  it('do not delay other requests while all of them wait', async () => {
    // No call may end before the others are answered.
    await open(10 * MINUTE_MS);
    let ended = 0;
    const subscribing = people.map((person) => subscribe(person).finally(() => (ended += 1)));
    await eventually('calls', () => stripe.requests.length === MAX_CONCURRENT_STRIPE_CALLS);
    for (const { token } of people.slice(0, 10)) {
      expect((await test.get('/api/v1/leaderboard')).status).to.equal(200);
      expect((await test.get('/api/v1/me', { authorization: `Bearer ${token}` })).status).to.equal(200);
    }
    expect({ ended, calls: stripe.requests.length }).to.deep.equal({ ended: 0, calls: MAX_CONCURRENT_STRIPE_CALLS });
    stripe.hangUp();
    for (const answered of await Promise.all(subscribing)) isRefused(answered);
  });

  it('are refused when the time of a call is over, those that waited for their turn too, and then without a call', async () => {
    await open(SHORT_CALL_MS);
    for (const answered of await Promise.all(people.map(subscribe))) isRefused(answered);
    const { length } = stripe.requests;
    expect(length, 'calls').to.be.at.most(CALLS_UNTIL_BROKEN * (1 + STRIPE_CALL_RETRIES));
    isRefused(await subscribe(people[0]!));
    expect(stripe.requests.length).to.equal(length);
  });
});

function isRefused({ status, json }: Answered): void {
  expect(status).to.equal(500);
  expect(json).to.include({ code: 'payment_provider_unavailable' });
}
