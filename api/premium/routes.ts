import {
  BoardExport,
  DistributionQuery,
  ExportQuery,
  PopulationDistribution,
  PremiumApiSummary,
  TierPopulations,
} from '../../engine/contract/index.ts';
import { Problem } from '../http/problem.ts';
import { JSON_TYPE } from '../http/representation.ts';
import { boardVersion, premiumRoute, reportOf } from './premium-route.ts';
import { distributionOf } from './reports/distribution.ts';
import { exportAsCsv, exportAsJson } from './reports/export.ts';
import { tierPopulations } from './reports/tiers.ts';

const CSV_TYPE = 'text/csv; charset=utf-8; header=present';

/** Contract, part 4.5. */
const getPremiumAccess = premiumRoute({
  product: 'access',
  description:
    'Requires a payment by x402 (402), and then returns the endpoints of the premium interface. For 10 minutes the ' +
    'same request with the same payment and the Answer-Receipt of its first response returns the same answer and is not ' +
    'paid twice. If that response was lost, send Answer-Claim instead: a signature by the paying account over the text in ' +
    'the detail of payment_reused.',
  success: { description: 'The summary.', schema: PremiumApiSummary },
  report: (_board, _query, premium) => ({
    mediaType: JSON_TYPE,
    headers: {},
    parts: [JSON.stringify(premium.summary())],
  }),
});

/** Additive to the contract: tier populations. */
const getTiers = premiumRoute({
  product: 'tiers',
  description: 'The population of every class tier in each window, at one board version. Paid for by x402.',
  success: { description: 'The populations.', schema: TierPopulations },
  report: async (board) => reportOf(board, TierPopulations.parse(await tierPopulations(board))),
});

/** Additive to the contract: distributions of the scores. */
const getDistribution = premiumRoute({
  product: 'distribution',
  description:
    'Quantiles and histograms of Yield, Leverage and Velocity over all ranked operators of a window, or over those of one ' +
    'platform, with the list of platforms; at one board version, at most a minute old. Paid for by x402.',
  query: DistributionQuery,
  success: { description: 'The distribution.', schema: PopulationDistribution },
  problems: ['window_invalid', 'platform_invalid', 'platform_unused'],
  report: async (board, { window, platform = null }) => {
    const found = await distributionOf(board, window, platform);
    if (found !== null) return reportOf(board, PopulationDistribution.parse(found));
    throw new Problem('platform_unused', {
      detail: 'No operator ranked in the window uses it most. Nothing was paid.',
    });
  },
});

/** Additive to the contract: whole boards. */
const getExport = premiumRoute({
  product: 'export',
  description:
    'Every ranked operator of a window in board order, at one board version, at most a minute old. Board-Version and the ' +
    'JSON contain the version. Paid for by x402.',
  query: ExportQuery,
  success: { description: 'The board.', schema: BoardExport, mediaTypes: ['text/csv'] },
  problems: ['window_invalid', 'format_invalid'],
  report: (board, { window, format }) => {
    const name = `upsilon-${window}-${board.view.version}.${format}`;
    return {
      mediaType: format === 'csv' ? CSV_TYPE : JSON_TYPE,
      headers: { ...boardVersion(board), 'Content-Disposition': `attachment; filename="${name}"` },
      parts: format === 'csv' ? exportAsCsv(board, window) : exportAsJson(board, window),
    };
  },
});

/** Routes that are paid per request. */
export const PREMIUM_ROUTES = [getPremiumAccess, getTiers, getDistribution, getExport];
