import * as z from 'zod';
import { INTEGRITY_LEVELS } from '../integrity-level.ts';
import { PLATFORMS } from '../platforms.ts';
import { CODENAME_PATTERN } from '../signing/index.ts';
import { MISSING_WORDS } from '../unranked.ts';
import { WINDOWS } from '../windows.ts';
import { coded } from './coded.ts';
import { described, optional } from './described.ts';

/** Most entries of a leaderboard response, and the default. */
export const MAX_LEADERBOARD_LIMIT = 100;
export const DEFAULT_LEADERBOARD_LIMIT = 10;

const CODENAME_IN_ANY_CASE = new RegExp(CODENAME_PATTERN, 'i');
const INTEGER_TEXT = /^[+-]?\d{1,15}$/;

/** The name of a window. */
export const WindowName = z.enum(WINDOWS).meta({ description: 'The period whose totals are ranked.' });

/** The window of a query. */
export const windowQuery = z
  .enum(WINDOWS, coded('window_invalid'))
  .default('all_time')
  .meta({ description: 'The period whose totals are ranked.' });

/** The platform of a query. */
export const platformQuery = z.enum(PLATFORMS, coded('platform_unknown')).optional().meta({
  description:
    'An AI platform: ranks by its counts alone. `board_at` says when its board was made: seconds ago, or minutes among a million operators.',
});

export const limitQuery = z
  .string()
  .regex(INTEGER_TEXT, coded('limit_not_an_integer'))
  .transform(Number)
  .pipe(z.int().min(1, coded('limit_out_of_bounds')).max(MAX_LEADERBOARD_LIMIT, coded('limit_out_of_bounds')))
  .default(DEFAULT_LEADERBOARD_LIMIT)
  .meta({ description: 'Number of entries to return.' });

/** The largest offset: that of any page that can be written. */
export const MAX_OFFSET = 2 ** 31 - 1;

export const offsetQuery = z
  .string()
  .regex(/^\d{1,10}$/, coded('offset_invalid'))
  .transform(Number)
  .pipe(z.int().max(MAX_OFFSET, coded('offset_invalid')));

/** Codenames, separated by commas; white space beside these and a comma at the end are ignored. */
export const operatorsQuery = z
  .string()
  .transform((text) => text.replace(/,\s*$/, '').split(/\s*,\s*/))
  .pipe(
    z
      .array(z.string().regex(CODENAME_IN_ANY_CASE, coded('operators_invalid')))
      .max(MAX_LEADERBOARD_LIMIT, coded('operators_invalid')),
  );

/** Makes a check that reports parameters that exclude each other; a request has at most one of each list. */
export function refuseConflicts(...lists: readonly (readonly string[])[]) {
  return (query: Readonly<Record<string, unknown>>, context: z.RefinementCtx): void => {
    for (const names of lists) {
      const [first, second] = names.filter((name) => query[name] !== undefined);
      if (first === undefined || second === undefined) continue;
      const detail = `${first} and ${second} exclude each other.`;
      const message = first === 'at' && second === 'platform' ? 'platform_not_kept' : 'parameters_conflict';
      context.addIssue({ code: 'custom', path: [second], message, params: { detail } });
      return;
    }
  };
}

/** `include` excludes each of these. */
const BEYOND_FIRST_PAGE = ['offset', 'around', 'operators', 'at', 'platform'] as const;

/** Contract, part 4.1: the query of GET /leaderboard. Values arrive as strings. */
export const LeaderboardQuery = z
  .object({
    window: windowQuery,
    limit: limitQuery,
    offset: optional(offsetQuery, 'Rows before the first one that is returned: 0 without it.'),
    around: optional(
      z.string(),
      'A codename: returns `limit` rows with it in the middle, fewer at an end of the board.',
    ),
    operators: optional(
      operatorsQuery,
      'Up to 100 codenames, separated by commas: ranks them among themselves. `limit` is ignored.',
    ),
    at: optional(
      z.string(),
      'A kept board: an hour (`2026-11-28T14:00Z`) or a day (`2026-11-28`, its first kept board).',
    ),
    platform: platformQuery,
    include: optional(
      z.enum(['held'], coded('include_invalid')),
      '`held`: adds the rows that are not settled yet. With the first page only.',
    ),
  })
  .superRefine(
    refuseConflicts(
      ['offset', 'around', 'operators'],
      ['at', 'platform'],
      ...BEYOND_FIRST_PAGE.map((name) => ['include', name]),
    ),
  );

/** How far a row can be relied on: additive members of entries and standings. */
export const reliance = {
  integrity: optional(
    z.object({
      level: described(z.enum(Object.keys(INTEGRITY_LEVELS)), 'What stands behind the counts.'),
      flags: described(z.array(z.string()), 'Rules that hold or exclude the row: see /methodology.'),
    }),
    'What is known about the counts.',
  ),
  provisional: optional(z.boolean(), 'Whether the row is numbered although the operator has few witnessed days.'),
  witnessed_days: optional(
    z.int().min(0),
    'Days of the last 45 on which snapshots arrived with growth of that day or the 48 hours before.',
  ),
  open: optional(z.boolean(), 'Whether anybody may read the signed snapshots: GET /operators/{codename}/snapshots.'),
  yield_range: optional(
    z.array(z.number()).length(2).nullable(),
    "95 % of long-run Yields, by the operator's own variation from day to day, as lowest and highest; null with fewer than two days with growth.",
  ),
};

/** Contract, part 2. */
export const LeaderboardEntry = z
  .object({
    codename: described(z.string(), 'Unique public codename.'),
    display_name: z.string().nullable().optional(),
    rank: described(z.int().min(1), 'Rank in the window; equal Yields share a rank.'),
    global_rank: optional(
      z.int().min(1).nullable(),
      'In a list or a league: the rank among all, null without one; `rank` is that among these.',
    ),
    held: optional(z.boolean(), 'In a league: the row is not settled yet, and has no rank among all.'),
    percentile: optional(z.number().min(0).max(100).nullable(), 'Share of ranked operators at or below this one.'),
    platform: described(z.string(), 'The AI platform with most tokens in the window.'),
    class_tier: optional(z.string().nullable(), 'From IGNITER up to ARCH+.'),
    yield_: z.number().meta({ format: 'double', description: 'cache_read x output / input^2.' }),
    leverage: z.number().optional().meta({ format: 'double', description: 'cache_read / input.' }),
    velocity: z.number().optional().meta({ format: 'double', description: 'output / input.' }),
    ...reliance,
    movement_24h: optional(z.number().nullable(), 'Places gained in 24 hours.'),
    movement_7d: optional(z.number().nullable(), 'Places gained in 7 days.'),
  })
  .meta({ description: 'One entry of the leaderboard.' });

const since = (days: string) =>
  z.iso
    .datetime()
    .nullable()
    .optional()
    .meta({
      description: `The board that movement_${days} is measured from: the newest kept one that is at least that old. Null without one.`,
    });

/** The moments that movements are measured from. */
export const movementSince = { movement_24h_since: since('24h'), movement_7d_since: since('7d') };

/** What a row lacks of the methodology. */
export const MissingPart = z.object({
  of: described(z.enum(Object.keys(MISSING_WORDS)), 'What is counted.'),
  needs: described(z.number(), 'What the methodology requires.'),
  has: described(z.number(), 'What the window has, in full tenths of `needs`; days are exact.'),
});

const HeldRow = LeaderboardEntry.omit({ rank: true, percentile: true, movement_24h: true, movement_7d: true })
  .extend({
    would_be: described(z.int().min(1), 'The rank that the row would have, in a league among its members.'),
    missing: described(z.array(MissingPart), 'What the row needs to be numbered.'),
  })
  .meta({ description: 'A row that is not settled yet.' });

/** Contract, part 2. */
export const LeaderboardResponse = z
  .object({
    generated_at: optional(z.iso.datetime(), 'When this response was generated, at most a minute ago.'),
    board_at: optional(z.iso.datetime(), 'When this board was published.'),
    board_version: optional(z.int().min(1), 'Version of this board.'),
    methodology: optional(z.int().min(1), 'Methodology of this board.'),
    total_operators: optional(z.int().min(0), 'Ranked operators in the window, from which the entries are taken.'),
    listed_operators: optional(z.int().min(0), 'All listed operators, ranked or not, as of at most a minute ago.'),
    ...movementSince,
    floors: optional(
      z.object({
        minimum_tokens: described(z.number(), 'Tokens, all four counts together.'),
        minimum_input: described(z.number(), 'Input tokens.'),
        minimum_input_share: described(z.number(), 'Share of input in all four counts together.'),
        minimum_witnessed_days: described(z.int(), 'Witnessed days below which a row is provisional.'),
      }),
      'What the methodology requires of a row.',
    ),
    window: WindowName.optional(),
    limit: optional(z.int().nullable(), 'The limit that was applied; null for a list of operators.'),
    offset: optional(z.int().min(0).nullable(), 'Rows before the first entry; null for a list of operators.'),
    platform: optional(z.string().nullable(), 'The AI platform that was asked for.'),
    at: optional(z.iso.datetime().nullable(), 'The hour of the kept board; null for the newest one.'),
    not_found: optional(z.array(z.string()), 'With `operators`: codenames that no operator has.'),
    unranked: optional(z.array(z.string()), 'With `operators`: those that are not ranked on this board.'),
    held_operators: optional(
      z.int().min(0),
      'Rows that are not settled yet, with `include=held` and in public leagues.',
    ),
    held: optional(
      z.array(HeldRow).max(MAX_LEADERBOARD_LIMIT),
      'The highest rows that are not settled yet, on the first page: with `include=held` and in public leagues.',
    ),
    entries: z.array(LeaderboardEntry).max(MAX_LEADERBOARD_LIMIT).optional(),
  })
  .meta({ description: 'Operators ranked by Yield.' });

export type LeaderboardResponseBody = z.infer<typeof LeaderboardResponse>;
