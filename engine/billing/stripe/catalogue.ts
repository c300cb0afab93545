import type { Stripe } from 'stripe';
import type { PlanPrices } from '../../../config/billing.ts';
import type { GuardedCall } from '../guard-calls.ts';
import { PRICES_CACHE_MS } from '../limits.ts';
import { PAID_PLANS, type PaidPlan } from '../types.ts';
import { INTERVALS, PRODUCT, planOf } from './read-subscription.ts';
import { orMissing } from './stripe-error.ts';

const LOOKUP_KEYS: Readonly<Record<PaidPlan, string>> = { monthly: 'upsilon_monthly', annual: 'upsilon_annual' };

/** The prices at Stripe are missing or differ from the settings. */
export class PricesNotSetUpError extends Error {
  override readonly name = 'PricesNotSetUpError';
}

/** The product and prices at Stripe. */
export function createCatalogue(stripe: Stripe, call: GuardedCall, prices: PlanPrices, clock: () => number) {
  let known: { readonly at: number; readonly prices: readonly Stripe.Price[] } | null = null;

  const listPrices = async (): Promise<readonly Stripe.Price[]> => {
    const lookup_keys = Object.values(LOOKUP_KEYS);
    return (await call('list_prices', () => stripe.prices.list({ lookup_keys, active: true, limit: 10 }))).data;
  };
  const matchesSettings = (price: Stripe.Price, plan: PaidPlan): boolean =>
    price.unit_amount === prices[plan] && price.currency === prices.currency && planOf(price) === plan;

  return {
    /** @throws PricesNotSetUpError, StripeUnavailableError */
    async priceOf(plan: PaidPlan): Promise<string> {
      if (known === null || clock() - known.at >= PRICES_CACHE_MS) known = { at: clock(), prices: await listPrices() };
      const price = find(known.prices, plan);
      if (price !== undefined && matchesSettings(price, plan)) return price.id;
      known = null;
      throw new PricesNotSetUpError(`Stripe has no ${plan} price that matches the settings: run "billing setup"`);
    },

    /** Finds or creates the product and one price per plan, or replaces one that differs. Safe to repeat. */
    async setUp() {
      await ensureProduct(stripe, call);
      known = null;
      const existing = await listPrices();
      const done: { plan: PaidPlan; price: string; done: 'found' | 'created' | 'replaced' }[] = [];
      for (const plan of PAID_PLANS) {
        const former = find(existing, plan);
        if (former !== undefined && matchesSettings(former, plan)) {
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
            // Stripe's prices are immutable: existing subscriptions keep the former one.
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

async function ensureProduct(stripe: Stripe, call: GuardedCall): Promise<void> {
  if ((await orMissing(() => call('find_product', () => stripe.products.retrieve(PRODUCT)))) !== null) return;
  const product = { id: PRODUCT, name: 'Upsilon plan', description: 'Submitting token snapshots to Upsilon' };
  await call('create_product', () => stripe.products.create(product));
}
