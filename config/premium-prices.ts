/** What can be bought one request at a time. */
export type PremiumProduct = 'access' | 'tiers' | 'distribution' | 'export';

/** What a request costs, in whole and decimal dollars of the stablecoin. The first is the contract's. */
export const PREMIUM_PRICES: Readonly<Record<PremiumProduct, string>> = {
  access: '0.01',
  tiers: '0.01',
  distribution: '0.02',
  export: '0.10',
};
