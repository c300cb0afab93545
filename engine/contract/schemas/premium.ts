import * as z from 'zod';
import { PLATFORM_PATTERN } from '../signing/format.ts';
import { coded } from './coded.ts';
import { described, optional } from './described.ts';
import { LeaderboardEntry, WindowName, windowQuery } from './leaderboard.ts';
import { ProblemDetails } from './problem-details.ts';

const text = z.string();

/** A payment option of x402 version 1. */
export const PaymentOffer = z.object({
  scheme: text,
  network: text,
  maxAmountRequired: described(text, "Whole number of the token's smallest unit."),
  resource: z.url(),
  description: text,
  mimeType: text,
  payTo: text,
  maxTimeoutSeconds: z.int().min(1),
  asset: described(text, "The token's address."),
  extra: z.object({ name: text, version: text }).meta({ description: 'EIP-712 domain of the token.' }),
});

/** The x402 version 1 challenge is in extension members; the header PAYMENT-REQUIRED has that of version 2. */
export const PaymentChallenge = ProblemDetails.extend({
  x402Version: z.literal(1),
  error: text,
  accepts: z.array(PaymentOffer),
}).meta({ description: 'RFC 9457 problem details with an x402 challenge.' });

/** The price of one request. */
export const EndpointPrice = z
  .object({
    amount: described(text, 'Decimal.'),
    currency: text,
    network: described(text, 'CAIP-2.'),
  })
  .meta({ description: 'Price of one request.' });

/** A premium endpoint, and what it requires. */
export const PremiumEndpoint = z.object({
  path: text,
  method: text,
  description: text.optional(),
  payment_required: z.boolean(),
  url: optional(z.url(), 'The full address.'),
  price: EndpointPrice.optional(),
});

/** Contract, part 2. */
export const PremiumApiSummary = z
  .object({
    type: described(text, 'Resource type.'),
    description: text,
    available_endpoints: z.array(PremiumEndpoint),
  })
  .meta({ description: 'The premium endpoints and what each requires.' });

export type PremiumApiSummaryBody = z.infer<typeof PremiumApiSummary>;

/** The board of a premium response. */
const ofBoard = {
  board_version: described(z.int().min(0), 'The board version that was read.'),
  generated_at: described(z.iso.datetime(), 'When this report was generated.'),
  board_at: described(z.iso.datetime(), 'When that board was published.'),
  methodology: z.int().min(1),
};

const count = z.int().min(0);
const share = z.number().min(0).max(1);

/** The operators of one tier. */
export const TierPopulation = z.object({
  class_tier: text,
  yield_from: z.number().min(0),
  yield_below: z.number().nullable(),
  operators: count,
  share: described(share.nullable(), 'Share of all ranked operators; null without ranked operators.'),
});

/** The tiers of one window, highest first. */
export const WindowTiers = z.object({ window: WindowName, total_operators: count, tiers: z.array(TierPopulation) });

/** The number of operators in each tier, highest tier first. */
export const TierPopulations = z
  .object({
    type: z.literal('tier_populations'),
    ...ofBoard,
    windows: z.array(WindowTiers),
  })
  .meta({ description: 'Operators by tier, in each window.' });

export type TierPopulationsBody = z.input<typeof TierPopulations>;

/** Quantiles of a distribution. */
export const Quantiles = z
  .object({
    p01: z.number(),
    p05: z.number(),
    p10: z.number(),
    p25: z.number(),
    p50: z.number(),
    p75: z.number(),
    p90: z.number(),
    p95: z.number(),
    p99: z.number(),
  })
  .meta({ description: 'Linear interpolation between sorted values.' });

/** A bin of a histogram. */
export const HistogramBin = z.object({ from: z.number(), below: z.number(), operators: count });

/** The distribution of one score; null without ranked operators. */
export const Spread = z
  .object({
    least: z.number(),
    greatest: z.number(),
    mean: z.number(),
    quantiles: Quantiles,
    histogram: described(
      z.array(HistogramBin),
      'Operators by powers of ten, from `from` up to but not including `below`; those with exactly 0 are in the bin from 0, and the greatest double is in the bin below it.',
    ),
  })
  .nullable();

export type SpreadBody = NonNullable<z.infer<typeof Spread>>;

/** The operators of one platform. */
export const PlatformShare = z.object({ platform: text, operators: count, share, median_yield: z.number() });

/** Distribution of Yield, Leverage and Velocity over the operators of a window, or over those of one platform. */
export const PopulationDistribution = z
  .object({
    type: z.literal('field_distribution'),
    ...ofBoard,
    window: WindowName,
    platform: described(text.nullable(), 'Null for all platforms.'),
    operators: count,
    yield_: Spread,
    leverage: Spread,
    velocity: Spread,
    platforms: described(z.array(PlatformShare), 'All platforms of the window, most used first.'),
  })
  .meta({
    description: "Distribution of the scores in a window; ratios and platforms are the operators' current ones.",
  });

export type FieldDistributionBody = z.input<typeof PopulationDistribution>;

/** One exported entry: a leaderboard entry without movements. */
export const ExportEntry = LeaderboardEntry.omit({ movement_24h: true, movement_7d: true }).required({
  integrity: true,
  provisional: true,
  yield_range: true,
  percentile: true,
  class_tier: true,
  leverage: true,
  velocity: true,
  display_name: true,
});

/** The header of an export. */
export const ExportHead = z.object({
  type: z.literal('board_export'),
  ...ofBoard,
  window: WindowName,
  total_operators: count,
});

export const BoardExport = ExportHead.extend({ entries: z.array(ExportEntry) }).meta({
  description: 'Every ranked operator of a window, in board order, at one board version.',
});

/** The query of a distribution. Values arrive as strings. */
export const DistributionQuery = z.object({
  window: windowQuery,
  platform: optional(
    z.string().regex(PLATFORM_PATTERN, coded('platform_invalid')),
    'Only operators who use this platform most.',
  ),
});

export const ExportQuery = z.object({
  window: windowQuery,
  format: described(z.enum(['json', 'csv'], coded('format_invalid')).default('json'), 'Format of the export.'),
});
