import { PREMIUM_PRICES, type PremiumProduct } from '../../config/premium-prices.ts';
import type { PaymentMetadata } from '../http/route.ts';

/** Where each product is, below the website's address. */
export const PREMIUM_PATHS: Readonly<Record<PremiumProduct, string>> = {
  access: '/api',
  tiers: '/api/analytics/tiers',
  distribution: '/api/analytics/distribution',
  export: '/api/analytics/export',
};

/** What each product is, in a line. */
export const PREMIUM_SUMMARIES: Readonly<Record<PremiumProduct, string>> = {
  access: 'The premium interface: what there is, and what each part requires',
  tiers: 'How many operators each tier has, in every window',
  distribution: 'How Yield, Leverage and Velocity are spread over a window or a platform',
  export: 'A whole board at one version, as JSON or CSV',
};

/** What a request costs, for the API description. The challenge says it for the installation that is asked. */
export function paymentFor(product: PremiumProduct): PaymentMetadata {
  return {
    method: 'stablecoin',
    intent: 'charge',
    amount: PREMIUM_PRICES[product],
    currency: 'USDC',
    description: `${PREMIUM_SUMMARIES[product]} (x402).`,
  };
}
