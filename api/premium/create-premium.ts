import type { PremiumProduct } from '../../config/premium-prices.ts';
import { singleFlight } from '../../config/single-flight.ts';
import type { NewAnswer } from '../../engine/billing/index.ts';
import { PremiumApiSummary, type PremiumApiSummaryBody } from '../../engine/contract/index.ts';
import type { BoardView } from '../../engine/ranking/index.ts';
import type { ApiContext } from '../context/api-context.ts';
import type { Call, StreamedResult } from '../http/route.ts';
import { makeOffer } from './offers.ts';
import { PREMIUM_OPERATIONS, PREMIUM_PATHS } from './products.ts';
import { premiumSummary, type SummaryParts } from './reports/summary.ts';
import { sell } from './sell.ts';

/** Maximum time for which an answer created for one buyer is reused for others, in milliseconds. */
const FRESH_MS = 60_000;

export type Report = Omit<NewAnswer, 'key'>;

/** The premium interface. */
export type Premium = ReturnType<typeof createPremium>;

/** `routes` are described in the summary. */
export function createPremium({ config, purchases, board, clock }: ApiContext, routes: SummaryParts['routes']) {
  const { answers } = purchases;
  const offer = (product: PremiumProduct) => config.premium && makeOffer(product, config.premium, config.siteUrl);
  const offers = {
    access: offer('access'),
    tiers: offer('tiers'),
    distribution: offer('distribution'),
    export: offer('export'),
  };
  const join = singleFlight<string>();
  return {
    summary(): PremiumApiSummaryBody {
      const found = Object.values(offers).flatMap((one) =>
        one === null ? [] : [[PREMIUM_OPERATIONS[one.product], one] as const],
      );
      return PremiumApiSummary.parse(premiumSummary({ routes, config, offers: new Map(found) }));
    },
    /**
     * Sells a report on the current board. A report is reused for one millisecond per operator that it covers, up to `FRESH_MS`, so
     * that expensive reports are created rarely, and reports about small boards are current.
     * @throws Problem unless the report is paid for.
     */
    sell(
      product: PremiumProduct,
      { method, header }: Pick<Call<unknown, unknown>, 'method' | 'header'>,
      query: Readonly<Record<string, unknown>>,
      make: (board: BoardView) => Report | Promise<Report>,
    ): Promise<StreamedResult> {
      const chosen = offers[product];
      if (chosen === null) throw new Error('a route is served that this installation does not offer');
      const search = new URLSearchParams();
      for (const [name, value] of Object.entries(query)) if (typeof value === 'string') search.set(name, value);
      search.sort();
      const target = `${PREMIUM_PATHS[product]}${search.size === 0 ? '' : `?${search.toString()}`}`;
      const freshMs = Math.min(FRESH_MS, Math.max(...Object.values(board.view().totals)));
      const create = (): Promise<string> =>
        board.withBoardView(async (view) => answers.store({ key: target, ...(await make(view)) }));
      const prepare = () => join(async () => (await answers.newest(target, clock() - freshMs)) ?? create(), target);
      return sell(purchases, chosen, { method, header, target, prepare });
    },
  };
}
