import { PremiumApiSummary } from '../../../engine/contract/index.ts';
import { definePremiumRoute, premiumRoute, RECEIPT_HEADERS } from './premium-route.ts';

/** Contract, part 4.5. */
export const getPremiumAccess = definePremiumRoute({
  ...premiumRoute('access', 'getPremiumApiAccess', []),
  description:
    'Requires a payment by x402 (402), and then returns the endpoints of the premium interface. For 10 minutes the ' +
    'same request with the same payment and the Answer-Receipt of its first response returns the same answer and is not ' +
    'paid twice. If that response was lost, send Answer-Claim instead: a signature by the paying account over the text in ' +
    'the detail of payment_reused.',
  successes: [{ status: 200, description: 'The summary.', schema: PremiumApiSummary, headers: RECEIPT_HEADERS }],
  handle: (_input, { ctx, method, header }) => ctx.premium.access({ method, header }),
});
