import * as z from 'zod';
import { coded } from './coded.ts';
import { described, optional } from './described.ts';
import { MissingPart, platformQuery, windowQuery } from './leaderboard.ts';

/** The kept boards. */
export const BoardList = z
  .object({
    board_version: described(z.int().min(1), 'Version of the newest board.'),
    boards: described(
      z.array(
        z.object({
          at: described(z.iso.datetime(), 'The hour of the board, for `at`.'),
          methodology: described(z.int().min(1), 'Methodology of the board.'),
        }),
      ),
      'Oldest first: every hour of the last day, and the first of each of the last 100 days.',
    ),
  })
  .meta({ description: 'The kept boards.' });

/** A number as JSON has it. */
const JSON_NUMBER = /^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?$/;

/** The query of GET /standing. Values arrive as strings. */
export const StandingQuery = z.object({
  window: windowQuery,
  yield: described(
    z
      .string(coded('yield_invalid'))
      .regex(JSON_NUMBER, coded('yield_invalid'))
      .transform(Number)
      .pipe(z.number(coded('yield_invalid')).min(0, coded('yield_invalid'))),
    'The Yield to be placed: a JSON number from 0 on.',
  ),
  without: optional(z.string(), 'A codename whose own entry is left out.'),
  platform: platformQuery,
});

const PlaceAhead = z
  .object({
    rank: described(z.int().min(1), 'The rank that this Yield would have.'),
    yield_: z.number().meta({ format: 'double' }),
    class_tier: z.string(),
  })
  .nullable();

/** Where a Yield stands on a board. */
export const Standing = z
  .object({
    window: z.string(),
    platform: described(z.string().nullable(), 'The AI platform that was asked for.'),
    board_version: z.int().min(1),
    methodology: z.int().min(1),
    board_at: described(z.iso.datetime(), 'When this board was made.'),
    yield_: z.number().meta({ format: 'double', description: 'The Yield that was asked for.' }),
    rank: described(z.int().min(1), 'The rank that it would have.'),
    total_operators: described(z.int().min(1), 'Ranked operators, with this one.'),
    percentile: z.number().min(0).max(100),
    class_tier: z.string(),
    needs: described(
      z.array(MissingPart.pick({ of: true, needs: true })),
      'What a Yield of this height needs to be numbered, by the reference of `platform`, else of the tool that `without` uses most, else of all platforms.',
    ),
    next_place: described(PlaceAhead, 'The next better Yield on the board; null at the top.'),
    next_tier: described(PlaceAhead, 'Where the next tier begins; null in the highest.'),
  })
  .meta({ description: 'Where a Yield stands on a board.' });

/** The beginning of a codename. */
const PREFIX = /^[a-z0-9-]{1,32}$/i;

/** The query of GET /operators. */
export const OperatorSearchQuery = z.object({
  prefix: described(
    z.string(coded('prefix_invalid')).regex(PREFIX, coded('prefix_invalid')),
    'How the codename begins, in any case.',
  ),
});

/** Operators by the beginning of their codenames. */
export const OperatorSearch = z
  .object({ codenames: described(z.array(z.string()).max(10), 'In order, at most ten.') })
  .meta({ description: 'Listed codenames that begin with a text.' });
