import type { Stripe } from 'stripe';
import type { PlanPrices } from '../../../config/billing.ts';
import { PRICES_MEMORY_MS } from '../limits.ts';
import { PAID_PLANS, type PaidPlan } from '../subscriptions/subscription.ts';
import type { StripeCall } from './guard-calls.ts';
import { INTERVALS, PRODUCT, planOf } from './read-subscription.ts';
import { isMissing } from './stripe-error.ts';

const LOOKUP_KEYS: Readonly<Record<PaidPlan, string>> = { monthly: 'upsilon_monthly', annual: 'upsilon_annual' };

/** Nobody has set up our prices at Stripe, or they are not what the settings say. */
export class PricesNotSetUp extends Error {
  override readonly name = 'PricesNotSetUp';
}

/** What was done for a plan's price: it was right, it was made, or it took the place of one that was not right. */
export interface PriceSetUp {
  readonly plan: PaidPlan;
  readonly price: string;
  readonly done: 'found' | 'created' | 'replaced';
}

/** Our product and prices at Stripe. */
export interface Catalogue {
  /** @throws PricesNotSetUp, StripeUnavailable */
  priceOf(plan: PaidPlan): Promise<string>;
  /** Finds or creates the product and a price a plan. Safe to repeat. */
  setUp(): Promise<readonly PriceSetUp[]>;
}

export interface CatalogueOptions {
  readonly stripe: Stripe;
  readonly call: StripeCall;
  readonly prices: PlanPrices;
  readonly clock: () => number;
}

export function createCatalogue({ stripe, call, prices, clock }: CatalogueOptions): Catalogue {
  let known: { readonly at: number; readonly prices: readonly Stripe.Price[] } | null = null;

  const listed = async (): Promise<readonly Stripe.Price[]> => {
    const lookup_keys = Object.values(LOOKUP_KEYS);
    return (await call('list_prices', () => stripe.prices.list({ lookup_keys, active: true, limit: 10 }))).data;
  };
  const isRight = (price: Stripe.Price, plan: PaidPlan): boolean =>
    price.unit_amount === prices[plan] && price.currency === prices.currency && planOf(price) === plan;

  return {
    async priceOf(plan) {
      if (known === null || clock() - known.at >= PRICES_MEMORY_MS) known = { at: clock(), prices: await listed() };
      const price = find(known.prices, plan);
      if (price !== undefined && isRight(price, plan)) return price.id;
      known = null;
      throw new PricesNotSetUp(`Stripe has no ${plan} price as the settings say: run "billing setup"`);
    },
    async setUp() {
      await ensureProduct(stripe, call);
      known = null;
      const there = await listed();
      const done: PriceSetUp[] = [];
      for (const plan of PAID_PLANS) {
        const former = find(there, plan);
        if (former !== undefined && isRight(former, plan)) {
          done.push({ plan, price: former.id, done: 'found' });
          continue;
        }
        const price = await call('create_price', () =>
          stripe.prices.create({
            product: PRODUCT,
            unit_amount: prices[plan],
            currency: prices.currency,
            recurring: { interval: INTERVALS[plan] },
            lookup_key: LOOKUP_KEYS[plan],
            // A price is never changed: those who pay the former one go on doing so.
            transfer_lookup_key: true,
          }),
        );
        done.push({ plan, price: price.id, done: former === undefined ? 'created' : 'replaced' });
      }
      return done;
    },
  };
}

function find(prices: readonly Stripe.Price[], plan: PaidPlan): Stripe.Price | undefined {
  return prices.find(({ lookup_key }) => lookup_key === LOOKUP_KEYS[plan]);
}

async function ensureProduct(stripe: Stripe, call: StripeCall): Promise<void> {
  try {
    await call('find_product', () => stripe.products.retrieve(PRODUCT));
  } catch (error) {
    if (!isMissing(error)) throw error;
    await call('create_product', () =>
      stripe.products.create({
        id: PRODUCT,
        name: 'Upsilon plan',
        description: 'Submitting token snapshots to Upsilon',
      }),
    );
  }
}
