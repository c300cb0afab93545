import { PremiumApiSummary } from '../../../engine/contract/index.ts';
import { defineRoute } from '../../services.ts';
import { premiumRoute, RECEIPT_HEADERS } from './premium-route.ts';

/** Contract, part 4.5. */
export const getPremiumAccess = defineRoute({
  ...premiumRoute('access', 'getPremiumApiAccess', []),
  description:
    'Asks for a payment by x402 (402), and answers what the premium interface offers once it is paid. The same payment, sent ' +
    'again for the same request within 10 minutes, leads to the same answer and is not paid twice.',
  successes: [{ status: 200, description: 'The summary.', schema: PremiumApiSummary, headers: RECEIPT_HEADERS }],
  handle: (_input, { services, method, header }) => services.premium.access({ method, header }),
});
