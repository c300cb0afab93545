import type { PremiumProduct } from '../../config/premium-prices.ts';
import {
  PopulationDistribution,
  PremiumApiSummary,
  type PremiumApiSummaryBody,
  TierPopulations,
  type Window,
} from '../../engine/contract/index.ts';
import type { BoardView } from '../../engine/ranking/index.ts';
import type { ApiContext } from '../context/api-context.ts';
import { Problem } from '../http/problem.ts';
import type { Call, StreamedAnswer } from '../http/route.ts';
import { makeOffer, type Offer } from './offers.ts';
import { PREMIUM_PATHS } from './products.ts';
import { distributionOf } from './reports/distribution.ts';
import { exportAsCsv, exportAsJson } from './reports/export.ts';
import { reuseRecent } from './reports/reuse-recent.ts';
import { PREMIUM_OPERATIONS, premiumSummary, type SummaryParts } from './reports/summary.ts';
import { tierPopulations } from './reports/tiers.ts';
import { sell } from './sell.ts';

type PremiumRequest = Pick<Call<unknown, unknown>, 'method' | 'header'>;

/** The premium interface. Each method returns a paid answer or throws a Problem. */
export interface Premium {
  access(asked: PremiumRequest): Promise<StreamedAnswer>;
  tiers(asked: PremiumRequest): Promise<StreamedAnswer>;
  distribution(asked: PremiumRequest, window: Window, platform: string | null): Promise<StreamedAnswer>;
  export(asked: PremiumRequest, window: Window, format: 'json' | 'csv'): Promise<StreamedAnswer>;
}

const JSON_TYPE = 'application/json; charset=utf-8';
const CSV_TYPE = 'text/csv; charset=utf-8; header=present';

/** `routes` are described in the summary. */
export function createPremium(
  { config, purchases, board, clock }: ApiContext,
  routes: SummaryParts['routes'],
): Premium {
  const offer = (product: PremiumProduct): Offer | null =>
    config.premium && makeOffer(product, config.premium, config.siteUrl);
  const offers = {
    access: offer('access'),
    tiers: offer('tiers'),
    distribution: offer('distribution'),
    export: offer('export'),
  };
  const fresh = reuseRecent(purchases.answers, clock);

  const sellProduct = (
    product: PremiumProduct,
    query: Readonly<Record<string, string>>,
    asked: PremiumRequest,
    make: Make,
  ) => {
    const chosen = offers[product];
    if (chosen === null)
      throw new Problem('payments_closed', { detail: 'Payments are not configured on this server.' });
    const search = String(new URLSearchParams(query));
    const target = `${PREMIUM_PATHS[product]}${search === '' ? '' : `?${search}`}`;
    const operators = Math.max(...Object.values(board.view().totals));
    return sell(purchases, chosen, { ...asked, target, prepare: () => fresh(target, operators, () => make(target)) });
  };
  const store = async (key: string, body: unknown): Promise<string> =>
    purchases.answers.store({ key, mediaType: JSON_TYPE, headers: {}, parts: [JSON.stringify(body)] });
  const storeOf = async (asked: BoardView, key: string, mediaType: string, headers: Headers, parts: Parts) => {
    const version = { 'Board-Version': String(asked.view.version) };
    return purchases.answers.store({ key, mediaType, headers: { ...headers, ...version }, parts });
  };

  return {
    access: ({ method, header }) => sellProduct('access', {}, { method, header }, (key) => store(key, summary())),
    tiers: ({ method, header }) =>
      sellProduct('tiers', {}, { method, header }, (key) =>
        board.ask(async (asked) => {
          const body = JSON.stringify(TierPopulations.parse(await tierPopulations(asked)));
          return storeOf(asked, key, JSON_TYPE, {}, [body]);
        }),
      ),
    distribution: ({ method, header }, window, platform) =>
      sellProduct('distribution', platform === null ? { window } : { platform, window }, { method, header }, (key) =>
        board.ask(async (asked) => {
          const found = await distributionOf(asked, window, platform);
          if (found === null) throw new Problem('platform_unknown', { detail: NOTHING_PAID });
          return storeOf(asked, key, JSON_TYPE, {}, [JSON.stringify(PopulationDistribution.parse(found))]);
        }),
      ),
    export: ({ method, header }, window, format) =>
      sellProduct('export', { format, window }, { method, header }, (key) =>
        board.ask((asked) => {
          const parts = format === 'csv' ? exportAsCsv(asked, window) : exportAsJson(asked, window);
          const name = `upsilon-${window}-${asked.view.version}.${format}`;
          const headers = { 'Content-Disposition': `attachment; filename="${name}"` };
          return storeOf(asked, key, format === 'csv' ? CSV_TYPE : JSON_TYPE, headers, parts);
        }),
      ),
  };

  function summary(): PremiumApiSummaryBody {
    const found = Object.values(offers).flatMap((one) =>
      one === null ? [] : [[PREMIUM_OPERATIONS[one.product], one] as const],
    );
    return PremiumApiSummary.parse(premiumSummary({ routes, config, offers: new Map(found) }));
  }
}

type Make = (key: string) => Promise<string>;
type Headers = Readonly<Record<string, string>>;
type Parts = Iterable<string> | AsyncIterable<string>;

const NOTHING_PAID = 'No operator ranked in the window uses it most. Nothing was paid.';
