import * as z from 'zod';
import { PLATFORM_PATTERN } from '../signing/names.ts';
import { WINDOWS } from '../windows.ts';
import { coded } from './coded.ts';
import { LeaderboardEntry } from './leaderboard.ts';
import { ProblemDetails } from './problem-details.ts';

const text = z.string();

/** One way to pay, as version 1 of x402 says it. */
const PaymentOffer = z.object({
  scheme: text,
  network: text,
  maxAmountRequired: text.meta({ description: "Whole number of the token's smallest unit." }),
  resource: z.url(),
  description: text,
  mimeType: text,
  payTo: text,
  maxTimeoutSeconds: z.int().min(1),
  asset: text.meta({ description: "The token's address." }),
  extra: z.object({ name: text, version: text }).meta({ description: 'EIP-712 domain of the token.' }),
});

/** A 402 of x402: a problem whose extension members are the challenge of version 1; PAYMENT-REQUIRED has that of version 2. */
export const PaymentChallenge = ProblemDetails.extend({
  x402Version: z.literal(1),
  error: text,
  accepts: z.array(PaymentOffer),
}).meta({ description: 'RFC 9457 problem details with an x402 challenge.' });

const Price = z.object({
  amount: text.meta({ description: 'Decimal.' }),
  currency: text,
  network: text.meta({ description: 'CAIP-2.' }),
});

const PremiumEndpoint = z.object({
  path: text,
  method: text,
  description: text.optional(),
  payment_required: z.boolean(),
  url: z.url().optional().meta({ description: 'The whole address.' }),
  price: Price.optional().meta({ description: 'What one request costs.' }),
});

/** Contract, part 2. */
export const PremiumApiSummary = z
  .object({
    type: text.meta({ description: 'Resource type.' }),
    description: text,
    available_endpoints: z.array(PremiumEndpoint),
  })
  .meta({ description: 'What the premium interface offers, and what each part requires.' });

export type PremiumApiSummaryBody = z.infer<typeof PremiumApiSummary>;

/** What board a premium answer is of. */
const ofBoard = {
  board_version: z.int().min(0).meta({ description: 'The one board version that the answer is of.' }),
  generated_at: z.iso.datetime().meta({ description: 'When that board was made.' }),
  methodology: z.int().min(1),
};

const count = z.int().min(0);
const share = z.number().min(0).max(1);
const window = z.enum(WINDOWS);

/** How many operators each tier has, highest first. */
export const TierPopulations = z
  .object({
    type: z.literal('tier_populations'),
    ...ofBoard,
    windows: z.array(
      z.object({
        window,
        total_operators: count,
        tiers: z.array(
          z.object({
            class_tier: text,
            yield_from: z.number().min(0),
            yield_below: z.number().nullable(),
            operators: count,
            share: share.nullable().meta({ description: 'Of all ranked operators; null when there are none.' }),
          }),
        ),
      }),
    ),
  })
  .meta({ description: 'Operators by tier, in each window.' });

export type TierPopulationsBody = z.input<typeof TierPopulations>;

const Quantiles = z
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
  .meta({ description: 'By linear interpolation between values in order.' });

const Spread = z.object({
  least: z.number(),
  greatest: z.number(),
  mean: z.number(),
  quantiles: Quantiles,
  histogram: z
    .array(z.object({ from: z.number(), below: z.number(), operators: count }))
    .meta({ description: 'Operators by powers of ten; those with exactly 0 are in the bin from 0.' }),
});

export type SpreadBody = z.infer<typeof Spread>;

/** How Yield, Leverage and Velocity are spread over the operators of a window, or over those of one platform. */
export const PopulationDistribution = z
  .object({
    type: z.literal('field_distribution'),
    ...ofBoard,
    window,
    platform: text.nullable().meta({ description: 'Null: all of them.' }),
    operators: count,
    yield_: Spread.nullable(),
    leverage: Spread.nullable(),
    velocity: Spread.nullable(),
    platforms: z
      .array(z.object({ platform: text, operators: count, share, median_yield: z.number() }))
      .meta({ description: 'All platforms of the window, most used first.' }),
  })
  .meta({
    description: 'Distribution of the scores in a window; ratios and platforms as the operators have them now.',
  });

export type FieldDistributionBody = z.input<typeof PopulationDistribution>;

/** One line of an export: an entry without its movement. */
export const ExportEntry = LeaderboardEntry.omit({ movement_24h: true, movement_7d: true }).required({
  percentile: true,
  class_tier: true,
  leverage: true,
  velocity: true,
  display_name: true,
});

/** What stands before the entries of an export. */
export const ExportHead = z.object({
  type: z.literal('board_export'),
  ...ofBoard,
  window,
  total_operators: count,
});

/** A whole board. */
export const BoardExport = ExportHead.extend({ entries: z.array(ExportEntry) }).meta({
  description: 'Every ranked operator of a window, in board order, at one board version.',
});

const windowQuery = z
  .enum(WINDOWS, coded('window_invalid'))
  .default('all_time')
  .meta({ description: 'The period whose totals are ranked.' });

/** The query of a distribution. Values arrive as text. */
export const DistributionQuery = z.object({
  window: windowQuery,
  platform: z
    .string()
    .regex(PLATFORM_PATTERN, coded('platform_invalid'))
    .optional()
    .meta({ description: 'Only operators who use this platform most.' }),
});

/** The query of an export. */
export const ExportQuery = z.object({
  window: windowQuery,
  format: z.enum(['json', 'csv'], coded('format_invalid')).default('json').meta({ description: 'Of the export.' }),
});
