import * as z from 'zod';
import { COUNTINGS } from '../signing/index.ts';
import { UNRANKED_REASONS } from '../unranked.ts';
import { byWindow } from '../windows.ts';
import { MissingPart, movementSince, reliance } from './leaderboard.ts';

const score = z.number().nullable().optional().meta({ format: 'double' });
const movement = z.number().nullable().optional();

/** Why an operator is not ranked in a window; null when it is. */
export const UnrankedCause = z
  .enum(Object.keys(UNRANKED_REASONS))
  .nullable()
  .meta({ description: 'Why an operator is not ranked; null when it is.' });

const standing = {
  class_tier: z.string().nullable().optional(),
  rank: z.int().min(1).nullable().optional(),
  percentile: z.number().min(0).max(100).nullable().optional(),
  yield_: score,
  leverage: score,
  velocity: score,
  movement_24h: movement,
  movement_7d: movement,
  unranked: UnrankedCause.optional(),
  would_be: z
    .int()
    .min(1)
    .nullable()
    .optional()
    .meta({ description: 'The rank that a row would have that is not settled yet; null for all others.' }),
  missing: z
    .array(MissingPart)
    .optional()
    .meta({ description: 'What the row lacks for a rank, or for not being provisional any more.' }),
  ...reliance,
};

/** An operator's standing in one window: nulls when it is not ranked. */
export const WindowStanding = z.object(standing).meta({ description: "An operator's standing in one window." });

/** An operator's place on the board of one of its tools. */
export const PlatformStanding = z
  .object({
    platform: z.string().meta({ description: 'The AI platform, for `platform` of GET /leaderboard.' }),
    rank: z.int().min(1).nullable().meta({ description: "By the tool's counts alone; null where it is not numbered." }),
    yield_: z.number().nullable().meta({ format: 'double' }),
    total_operators: z.int().min(0).meta({ description: 'Ranked operators of the tool.' }),
    percentile: z.number().min(0).max(100).nullable(),
  })
  .meta({ description: "An operator's place on the board of one of its AI tools." });

/** The query of GET /operators/{codename}. */
export const ProfileQuery = z.object({
  at: z.string().optional().meta({
    description: 'A kept board: an hour (`2026-11-28T14:00Z`) or a day (`2026-11-28`, its first kept board).',
  }),
});

/** Contract, part 2; `windows` is additive. The other members are those of `all_time`. */
export const OperatorProfile = z
  .object({
    board_version: z.int().min(1).optional().meta({ description: 'Version of the board that was read.' }),
    methodology: z.int().min(1).optional().meta({ description: 'Methodology of that board.' }),
    at: z.iso
      .datetime()
      .nullable()
      .optional()
      .meta({ description: 'The hour of the kept board; null for the newest one.' }),
    codename: z.string().meta({ description: 'Unique public codename.' }),
    display_name: z.string().nullable().optional(),
    platform: z
      .string()
      .optional()
      .meta({ description: 'The AI platform with most tokens; `unspecified` without tokens.' }),
    ...standing,
    ...movementSince,
    cascade_str: z
      .string()
      .max(45)
      .nullable()
      .optional()
      .meta({ description: 'Ratio in the form cache:input:output.' }),
    provenance: z
      .object({
        counting: z.enum(COUNTINGS).meta({
          description: '`exact`: counts as the AI tools wrote them; `derived`: some are computed from others.',
        }),
        tool_version: z.string().nullable().meta({ description: 'The newest version that signed them.' }),
      })
      .nullable()
      .optional()
      .meta({
        description: "What the operator's tool states, under its signature, about the counts; null when it does not.",
      }),
    windows: z
      .object(byWindow(() => WindowStanding))
      .optional()
      .meta({ description: 'The standing in every window.' }),
    platforms: z
      .array(PlatformStanding)
      .optional()
      .meta({ description: "The all-time boards of the operator's AI tools, the one with most tokens first." }),
  })
  .meta({ description: 'An operator on the current board.' });
