/** What can be bought per request. */
export type PremiumProduct = 'access' | 'tiers' | 'distribution' | 'export';

/** The price of a request, in decimal dollars of the stablecoin. `access` is the contract's price. */
export const PREMIUM_PRICES: Readonly<Record<PremiumProduct, string>> = {
  access: '0.01',
  tiers: '0.01',
  distribution: '0.02',
  export: '0.10',
};
