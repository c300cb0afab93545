import type { PremiumProduct } from '../../../config/premium-prices.ts';
import type { ProblemCode } from '../../../engine/contract/index.ts';
import type { ApiContext } from '../../context/api-context.ts';
import { routesFor } from '../../http/route.ts';
import type { Premium } from '../create-premium.ts';
import { PREMIUM_PATHS, PREMIUM_SUMMARIES, paymentFor } from '../products.ts';

/** Problems of all routes that are paid per request. */
const PAYMENT_PROBLEMS = [
  'payment_malformed',
  'payment_required',
  'payment_scheme_wrong',
  'payment_network_wrong',
  'payment_asset_wrong',
  'payment_payee_wrong',
  'payment_amount_wrong',
  'payment_expired',
  'payment_validity_wrong',
  'payment_signature_invalid',
  'payment_funds_missing',
  'payment_refused',
  'payment_failed',
  'payment_reused',
  'payments_closed',
  'payments_unavailable',
  'payment_unsettled',
] as const satisfies ProblemCode[];

/** Headers of paid responses. */
export const RECEIPT_HEADERS = {
  'PAYMENT-RESPONSE': 'How the payment was settled: Base64 of JSON (x402 version 2).',
  'X-PAYMENT-RESPONSE': 'The same for clients of x402 version 1.',
  'Answer-Receipt':
    'A secret. For 10 minutes, the same request with the same payment and this header returns the same answer.',
} as const;

export const BOARD_VERSION_HEADER = { 'Board-Version': 'The board version of the answer.' } as const;

export const definePremiumRoute = routesFor<ApiContext & { readonly premium: Premium }>();

/** The common part of routes that are paid per request. `own` are problems besides those of payments. */
export function premiumRoute<const I extends string>(
  product: PremiumProduct,
  operationId: I,
  own: readonly ProblemCode[],
) {
  return {
    method: 'get',
    surface: 'site',
    path: PREMIUM_PATHS[product],
    operationId,
    summary: PREMIUM_SUMMARIES[product],
    tag: 'premium',
    auth: 'public',
    problems: [...PAYMENT_PROBLEMS, ...own],
    limit: 'public',
    cache: null,
    payment: paymentFor(product),
    documented: true,
  } as const;
}
