import { DistributionQuery, PopulationDistribution } from '../../../engine/contract/index.ts';
import { BOARD_VERSION_HEADER, definePremiumRoute, premiumRoute, RECEIPT_HEADERS } from './premium-route.ts';

/** Additive to the contract: distributions of the scores. */
export const getDistribution = definePremiumRoute({
  ...premiumRoute('distribution', 'getFieldDistribution', ['window_invalid', 'platform_invalid', 'platform_unknown']),
  description:
    'Quantiles and histograms of Yield, Leverage and Velocity over all ranked operators of a window, or over those of one ' +
    'platform, with the list of platforms; at one board version, at most a minute old. Paid for by x402.',
  query: DistributionQuery,
  successes: [
    {
      status: 200,
      description: 'The distribution.',
      schema: PopulationDistribution,
      headers: { ...RECEIPT_HEADERS, ...BOARD_VERSION_HEADER },
    },
  ],
  handle: ({ query }, { ctx, method, header }) =>
    ctx.premium.distribution({ method, header }, query.window, query.platform ?? null),
});
