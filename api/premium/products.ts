import { fromSmallestUnits, type PremiumConfig } from '../../config/premium.ts';
import type { PremiumProduct } from '../../config/premium-prices.ts';
import type { Features, PaymentMetadata } from '../http/route.ts';

/** Path of each product, below the website's URL. */
export const PREMIUM_PATHS: Readonly<Record<PremiumProduct, string>> = {
  access: '/api',
  tiers: '/api/analytics/tiers',
  distribution: '/api/analytics/distribution',
  export: '/api/analytics/export',
};

/** A one-line summary of each product. */
export const PREMIUM_SUMMARIES: Readonly<Record<PremiumProduct, string>> = {
  access: 'The premium interface: its endpoints, and what each requires',
  tiers: 'How many operators each tier has, in every window',
  distribution: 'The distribution of Yield, Leverage and Velocity over a window or a platform',
  export: 'A whole board at one version, as JSON or CSV',
};

/** The operation of each product in the API description. */
export const PREMIUM_OPERATIONS: Readonly<Record<PremiumProduct, string>> = {
  access: 'getPremiumApiAccess',
  tiers: 'getTierPopulations',
  distribution: 'getFieldDistribution',
  export: 'getBoardExport',
};

/** The price of a request in an installation, decimal. */
export function priceOf(product: PremiumProduct, { prices, token }: PremiumConfig): string {
  return fromSmallestUnits(prices[product], token.decimals);
}

/** The price of a request, for the API description. */
export function paymentFor(product: PremiumProduct, { premium }: Features): PaymentMetadata | null {
  if (premium === null) return null;
  return {
    method: 'stablecoin',
    intent: 'charge',
    amount: priceOf(product, premium),
    currency: premium.token.symbol,
    description: `${PREMIUM_SUMMARIES[product]} (x402).`,
  };
}
