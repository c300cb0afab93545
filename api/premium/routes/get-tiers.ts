import { TierPopulations } from '../../../engine/contract/index.ts';
import { NO_QUERY } from '../../http/route.ts';
import { BOARD_VERSION_HEADER, definePremiumRoute, premiumRoute, RECEIPT_HEADERS } from './premium-route.ts';

/** Additive to the contract: tier populations. */
export const getTiers = definePremiumRoute({
  ...premiumRoute('tiers', 'getTierPopulations', []),
  description: 'The population of every class tier in every window, at one board version. Paid for by x402.',
  query: NO_QUERY,
  successes: [
    {
      status: 200,
      description: 'The populations.',
      schema: TierPopulations,
      headers: { ...RECEIPT_HEADERS, ...BOARD_VERSION_HEADER },
    },
  ],
  handle: (_input, { ctx, method, header }) => ctx.premium.tiers({ method, header }),
});
