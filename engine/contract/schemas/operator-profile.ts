import * as z from 'zod';
import { COUNTINGS } from '../signing/index.ts';
import { UNRANKED_REASONS } from '../unranked.ts';
import { byWindow } from '../windows.ts';
import { described, optional } from './described.ts';
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
  would_be: optional(
    z.int().min(1).nullable(),
    'The rank that a row would have that is not settled yet; null for all others.',
  ),
  missing: optional(z.array(MissingPart), 'What the row lacks for a rank, or for not being provisional any more.'),
  ...reliance,
};

/** An operator's standing in one window: nulls when it is not ranked. */
export const WindowStanding = z.object(standing).meta({ description: "An operator's standing in one window." });

/** An operator's place on the board of one of its tools. */
export const PlatformStanding = z
  .object({
    platform: described(z.string(), 'The AI platform, for `platform` of GET /leaderboard.'),
    rank: described(z.int().min(1).nullable(), "By the tool's counts alone; null where it is not numbered."),
    yield_: z.number().nullable().meta({ format: 'double' }),
    total_operators: described(z.int().min(0), 'Ranked operators of the tool.'),
    percentile: z.number().min(0).max(100).nullable(),
  })
  .meta({ description: "An operator's place on the board of one of its AI tools." });

/** The query of GET /operators/{codename}. */
export const ProfileQuery = z.object({
  at: optional(
    z.string(),
    'A kept board: an hour (`2026-11-28T14:00Z`) or a day (`2026-11-28`, its first kept board).',
  ),
});

/** Contract, part 2; `windows` is additive. The other members are those of `all_time`. */
export const OperatorProfile = z
  .object({
    board_version: optional(z.int().min(1), 'Version of the board that was read.'),
    methodology: optional(z.int().min(1), 'Methodology of that board.'),
    at: optional(z.iso.datetime().nullable(), 'The hour of the kept board; null for the newest one.'),
    codename: described(z.string(), 'Unique public codename.'),
    display_name: z.string().nullable().optional(),
    platform: optional(z.string(), 'The AI platform with most tokens; `unspecified` without tokens.'),
    ...standing,
    ...movementSince,
    cascade_str: optional(z.string().max(45).nullable(), 'Ratio in the form cache:input:output.'),
    provenance: optional(
      z
        .object({
          counting: described(
            z.enum(COUNTINGS),
            '`exact`: counts as the AI tools wrote them; `derived`: some are computed from others.',
          ),
          tool_version: described(z.string().nullable(), 'The newest version that signed them.'),
        })
        .nullable(),
      "What the operator's tool states, under its signature, about the counts; null when it does not.",
    ),
    windows: optional(z.object(byWindow(() => WindowStanding)), 'The standing in every window.'),
    platforms: optional(
      z.array(PlatformStanding),
      "The all-time boards of the operator's AI tools, the one with most tokens first.",
    ),
  })
  .meta({ description: 'An operator on the current board.' });
