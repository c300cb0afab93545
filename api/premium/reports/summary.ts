import type { PremiumApiSummaryBody } from '../../../engine/contract/index.ts';
import type { ApiConfig } from '../../context/api-context.ts';
import type { Route, Surface } from '../../http/route.ts';
import type { Offer } from '../offers.ts';
import { PREMIUM_SUMMARIES } from '../products.ts';

/** Other operations in the summary: those that submit and read snapshots. */
const SNAPSHOT_OPERATIONS: ReadonlySet<string> = new Set([
  'submitSnapshot',
  'getSnapshot',
  'getLeaderboard',
  'getOperator',
  'getOperatorHistory',
  'createSubscription',
]);

export interface SummaryParts {
  readonly routes: readonly Pick<Route<never>, 'method' | 'surface' | 'path' | 'summary' | 'operationId'>[];
  /** Offers by `operationId`. */
  readonly offers: ReadonlyMap<string, Offer>;
  readonly config: Pick<ApiConfig, `${Surface}Url` | 'enforcePlan'>;
}

/** Contract, part 2: the endpoints, and what each requires. Derived from the routes. */
export function premiumSummary({ routes, offers, config }: SummaryParts): PremiumApiSummaryBody {
  const named = routes.filter(({ operationId }) => offers.has(operationId) || SNAPSHOT_OPERATIONS.has(operationId));
  return {
    type: 'premium_api_summary',
    description: PREMIUM_DESCRIPTION,
    available_endpoints: named.map(({ method, surface, path, summary, operationId }) => {
      const url = `${surface === 'every' ? config.siteUrl : config[`${surface}Url`]}${path}`;
      const offer = offers.get(operationId);
      return {
        path: decodeURI(new URL(url).pathname),
        method: method.toUpperCase(),
        description: offer === undefined ? summary : PREMIUM_SUMMARIES[offer.product],
        payment_required: offer !== undefined || (config.enforcePlan && operationId === 'submitSnapshot'),
        url: encodeURI(decodeURI(url)),
        ...(offer === undefined ? {} : { price: priceOf(offer) }),
      };
    }),
  };
}

const PREMIUM_DESCRIPTION =
  'Analytics over whole boards, each request paid for with a stablecoin (x402), and the routes that submit and read snapshots. ' +
  'A plan, where submitting requires one, is paid for by card: see POST /billing/subscribe.';

function priceOf({ amount, terms }: Offer) {
  return { amount, currency: terms.currency, network: terms.network };
}
