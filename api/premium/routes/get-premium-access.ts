import { PremiumApiSummary } from '../../../engine/contract/index.ts';
import { defineRoute } from '../../services.ts';
import { premiumRoute, RECEIPT_HEADERS } from './premium-route.ts';

/** Contract, part 4.5. */
export const getPremiumAccess = defineRoute({
  ...premiumRoute('access', 'getPremiumApiAccess', []),
  description:
    'Asks for a payment by x402 (402), and answers what the premium interface offers once it is paid. The same ' +
    'request with the same payment and the Answer-Receipt of its first response leads to the same answer for 10 minutes, ' +
    'and is not paid twice. Where that response was lost, Answer-Claim does it: the signature by the paying account of the ' +
    'text that payment_reused names.',
  successes: [{ status: 200, description: 'The summary.', schema: PremiumApiSummary, headers: RECEIPT_HEADERS }],
  handle: (_input, { services, method, header }) => services.premium.access({ method, header }),
});
