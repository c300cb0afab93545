import { expect } from 'chai';
import { loadConfig } from '../../../config/config.ts';
import { STRIPE_WAIT_MS } from '../../../engine/billing/limits.ts';
import { type Answered, openTestApi, TEST_NOW, type TestApi, type TestOperator } from '../../support/api-ports.ts';
import { setUpPrices } from '../../support/stripe/set-up-prices.ts';
import { StripeStandIn } from '../../support/stripe/stripe-stand-in.ts';

/** More than the calls that may be under way at once. */
const SUBSCRIBERS = 30;

/** One call's patience, and a busy machine. */
const ANSWERED_MS = STRIPE_WAIT_MS + 4_000;

/** Others are served as ever, on a busy machine. */
const SERVED_MS = 2_000;

async function timed(ask: () => Promise<Answered>): Promise<{ readonly answered: Answered; readonly ms: number }> {
  const startedAt = performance.now();
  const answered = await ask();
  return { answered, ms: performance.now() - startedAt };
}

describe('api: subscriptions while Stripe takes calls and never answers', function () {
  this.timeout(60_000);
  let stripe: StripeStandIn;
  let test: TestApi;
  let people: TestOperator[];

  before(async () => {
    stripe = await StripeStandIn.open(() => test?.now ?? TEST_NOW);
    const { billing } = loadConfig(stripe.settings());
    test = await openTestApi({ settings: { billing } });
    await setUpPrices(stripe);
    people = [];
    for (let index = 0; index < SUBSCRIBERS; index += 1) people.push(await test.operator(`silent-${index}`));
    stripe.condition = 'silent';
  });

  after(async () => {
    await test[Symbol.asyncDispose]();
    await stripe[Symbol.asyncDispose]();
  });

  const subscribe = ({ token }: TestOperator): Promise<Answered> => test.post('/api/v1/billing/subscribe', token, {});

  it('are refused in bounded time, while everybody else is served, and then at once', async () => {
    const refusals = { over: false };
    const refused = Promise.all(people.map((person) => timed(() => subscribe(person)))).finally(() => {
      refusals.over = true;
    });
    let served = 0;
    let slowest = 0;
    for (; !refusals.over; served += 1) {
      const [first] = people;
      if (first === undefined) throw new Error('there is nobody');
      for (const ask of [
        () => test.get('/api/v1/leaderboard'),
        () => test.get('/api/v1/me', { authorization: `Bearer ${first.token}` }),
      ]) {
        const { answered, ms } = await timed(ask);
        expect(answered.status).to.be.oneOf([200, 429]);
        slowest = Math.max(slowest, ms);
      }
      await new Promise((resolve) => setTimeout(resolve, 400));
    }
    expect(served).to.be.above(5);
    expect(slowest).to.be.below(SERVED_MS);
    for (const { answered, ms } of await refused) {
      expect(answered.status).to.equal(500);
      expect(answered.json).to.include({ code: 'payment_provider_unavailable' });
      expect(ms).to.be.below(ANSWERED_MS);
    }
    const [somebody] = people;
    if (somebody === undefined) throw new Error('there is nobody');
    const { answered, ms } = await timed(() => subscribe(somebody));
    expect(answered.json).to.include({ code: 'payment_provider_unavailable' });
    expect(ms).to.be.below(SERVED_MS);
  });
});
