import type * as z from 'zod';
import type { PremiumProduct } from '../../config/premium-prices.ts';
import type { ProblemCode } from '../../engine/contract/index.ts';
import type { BoardView } from '../../engine/ranking/index.ts';
import type { ApiContext } from '../context/api-context.ts';
import { JSON_TYPE } from '../http/representation.ts';
import { routesFor, type SuccessSpec } from '../http/route.ts';
import type { Premium, Report } from './create-premium.ts';
import { PREMIUM_OPERATIONS, PREMIUM_PATHS, PREMIUM_SUMMARIES, paymentFor } from './products.ts';

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
  'payments_unavailable',
  'payment_unsettled',
] as const satisfies ProblemCode[];

/** Headers of paid responses. */
const RECEIPT_HEADERS = {
  'PAYMENT-RESPONSE': 'How the payment was settled: Base64 of JSON (x402 version 2).',
  'X-PAYMENT-RESPONSE': 'The same for clients of x402 version 1.',
  'Answer-Receipt':
    'A secret. For 10 minutes, the same request with the same payment and this header returns the same answer.',
};

const BOARD_VERSION_HEADER = { 'Board-Version': 'The board version of the answer.' };

interface PremiumRoute<Q extends z.ZodObject> {
  readonly product: PremiumProduct;
  readonly description: string;
  readonly query?: Q;
  readonly success: Pick<SuccessSpec, 'description' | 'schema' | 'mediaTypes'>;
  /** Problems besides those of payments. */
  readonly problems?: readonly ProblemCode[];
  /** Creates the report that is sold. */
  readonly report: (board: BoardView, query: z.output<Q>, premium: Premium) => Report | Promise<Report>;
}

/** Declares a route that is paid per request. */
export function premiumRoute<Q extends z.ZodObject = z.ZodObject<Record<string, z.ZodNever>>>(route: PremiumRoute<Q>) {
  const { product, description, success, problems = [], report } = route;
  const headers = product === 'access' ? RECEIPT_HEADERS : { ...RECEIPT_HEADERS, ...BOARD_VERSION_HEADER };
  return routesFor<ApiContext & { readonly premium: Premium }>()({
    method: 'get',
    surface: 'site',
    path: PREMIUM_PATHS[product],
    operationId: PREMIUM_OPERATIONS[product],
    summary: PREMIUM_SUMMARIES[product],
    description,
    tag: 'premium',
    auth: 'public',
    ...(route.query === undefined ? {} : { query: route.query }),
    successes: [{ status: 200, headers, ...success }],
    problems: [...PAYMENT_PROBLEMS, ...problems],
    limit: 'public',
    offered: ({ premium }) => premium !== null,
    payment: (config) => paymentFor(product, config),
    handle: ({ query }, { ctx: { premium }, method, header }) =>
      premium.sell(product, { method, header }, query, (board) => report(board, query, premium)),
  });
}

/** A report in JSON. */
export function reportOf(board: BoardView, body: unknown): Report {
  return { mediaType: JSON_TYPE, headers: boardVersion(board), parts: [JSON.stringify(body)] };
}

export function boardVersion({ view }: BoardView): Report['headers'] {
  return { 'Board-Version': String(view.version) };
}
