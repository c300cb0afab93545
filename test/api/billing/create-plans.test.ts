import { expect } from 'chai';
import { createPlans } from '../../../api/billing/create-plans.ts';
import { priceText } from '../../../api/billing/price-text.ts';
import type { Subscription } from '../../../engine/billing/index.ts';

const NOW = Date.parse('2026-03-01T00:00:00.000Z');
const PAID: Subscription = {
  id: 'sub_1',
  status: 'active',
  plan: 'annual',
  periodStart: NOW,
  periodEnd: NOW + 1_000,
  endsAt: NOW + 1_000,
  endedBy: null,
  collectionPaused: false,
  paid: true,
  moneyBack: null,
};

const SOMEBODY = { operator: 1, plan: 'free' };

/** Subscriptions that a test sets, and whose reading it may hold up. */
class Store {
  subscriptions: readonly Subscription[] = [];
  reads = 0;
  #held: Promise<void> = Promise.resolve();

  async subscriptionsOf(): Promise<readonly Subscription[]> {
    this.reads += 1;
    const { subscriptions } = this;
    await this.#held;
    return subscriptions;
  }

  /** Reads that begin from now on complete when the returned function is called. */
  hold(): () => void {
    const ends: (() => void)[] = [];
    this.#held = new Promise((resolve) => void ends.push(resolve));
    return () => {
      for (const end of ends) end();
    };
  }
}

describe('plans as an api process knows them', () => {
  let now = NOW;
  const clock = (): number => now;

  beforeEach(() => {
    now = NOW;
  });

  it('are read once in five seconds, and at once after a change', async () => {
    const store = new Store();
    const plans = createPlans(store, clock);
    expect(await plans.entitled(SOMEBODY)).to.equal(false);
    store.subscriptions = [PAID];
    expect(await plans.entitled(SOMEBODY)).to.equal(false);
    expect(store.reads).to.equal(1);
    plans.changed(1);
    expect(await plans.entitled(SOMEBODY)).to.equal(true);
    expect(await plans.nameOf(SOMEBODY)).to.equal('annual');
    expect(store.reads).to.equal(2);
    store.subscriptions = [{ ...PAID, endsAt: NOW + 60_000 }];
    now += 4_999;
    expect(await plans.entitled(SOMEBODY)).to.equal(false);
    expect(store.reads).to.equal(2);
    now += 1;
    expect(await plans.entitled(SOMEBODY)).to.equal(true);
    expect(store.reads).to.equal(3);
    now -= 5_000;
    await plans.entitled(SOMEBODY);
    expect(store.reads, 'after the clock was set back').to.equal(4);
  });

  it('are not remembered when they changed while they were read', async () => {
    const store = new Store();
    const plans = createPlans(store, clock);
    const release = store.hold();
    const asked = plans.entitled(SOMEBODY);
    store.subscriptions = [PAID];
    plans.changed(1);
    release();
    expect(await asked).to.equal(false);
    expect(await plans.entitled(SOMEBODY)).to.equal(true);
  });

  it('end at their time, without a message', async () => {
    const store = new Store();
    store.subscriptions = [PAID];
    const plans = createPlans(store, clock);
    expect(await plans.entitled(SOMEBODY)).to.equal(true);
    now += 1_000;
    expect(await plans.entitled(SOMEBODY)).to.equal(false);
    expect(await plans.nameOf(SOMEBODY)).to.equal('free');
    expect(store.reads).to.equal(1);
  });

  it('that were given need no subscription', async () => {
    const store = new Store();
    const plans = createPlans(store, clock);
    expect(await plans.entitled({ operator: 1, plan: 'sponsored' })).to.equal(true);
    expect(await plans.nameOf({ operator: 1, plan: 'sponsored' })).to.equal('sponsored');
    expect(store.reads).to.equal(0);
  });
});

describe('a price in words', () => {
  for (const [prices, plan, text] of [
    [{ monthly: 500, annual: 5_000, currency: 'usd' }, 'monthly', '5.00 USD a month'],
    [{ monthly: 500, annual: 5_000, currency: 'usd' }, 'annual', '50.00 USD a year'],
    [{ monthly: 750, annual: 7_500, currency: 'jpy' }, 'monthly', '750 JPY a month'],
    [{ monthly: 1_500, annual: 15_000, currency: 'kwd' }, 'monthly', '1.500 KWD a month'],
  ] as const) {
    it(text, () => expect(priceText(prices, plan)).to.equal(text));
  }
});
