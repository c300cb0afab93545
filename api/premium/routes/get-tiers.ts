import { TierPopulations } from '../../../engine/contract/index.ts';
import { NO_QUERY } from '../../http/route.ts';
import { defineRoute } from '../../services.ts';
import { BOARD_VERSION_HEADER, premiumRoute, RECEIPT_HEADERS } from './premium-route.ts';

/** Additive to the contract: tier populations. */
export const getTiers = defineRoute({
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
  handle: (_input, { services, method, header }) => services.premium.tiers({ method, header }),
});
