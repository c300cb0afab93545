import { loadConfig } from '../../../config/config.ts';
import { createCatalogue } from '../../../engine/billing/stripe/catalogue.ts';
import { openStripe } from '../../../engine/billing/stripe/open-stripe.ts';
import { STAND_IN_KEY } from './stand-in-secrets.ts';
import type { StripeStandIn } from './stripe-stand-in.ts';

/** What `billing setup` does, at a stand-in. */
export async function setUpPrices({ origin }: Pick<StripeStandIn, 'origin'>): Promise<void> {
  const stripe = openStripe({ secretKey: STAND_IN_KEY, apiUrl: origin });
  const { prices } = loadConfig({}).billing;
  await createCatalogue(stripe, (_operation, run) => run(), prices, Date.now).setUp();
}
