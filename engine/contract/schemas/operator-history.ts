import * as z from 'zod';
import { described, optional } from './described.ts';
import { WindowName, windowQuery } from './leaderboard.ts';

/** The query of GET /operators/{codename}/history. Values arrive as strings. */
export const HistoryQuery = z.object({
  window: described(windowQuery, 'The period whose totals were ranked.'),
  since: optional(z.iso.datetime(), 'Adds the change since the newest board kept at this moment, `changes.since`.'),
});

/** An operator's standing on one board. */
export const HistoryPoint = z
  .object({
    at: described(z.iso.datetime(), 'Time of the board.'),
    rank: described(z.int().min(1).nullable(), 'Null when the operator was not ranked.'),
    yield_: z.number().nullable().meta({ format: 'double' }),
    methodology: described(z.int().min(1), 'Methodology of the board.'),
  })
  .meta({ description: "An operator's standing on one board." });

/** An operator's standing right before or after a change of the methodology. */
export const SwitchStanding = HistoryPoint.pick({ methodology: true, rank: true, yield_: true });

/** A change of the methodology. */
export const MethodologySwitch = z.object({ at: z.iso.datetime(), before: SwitchStanding, after: SwitchStanding });

const places = z.int().nullable();

/** The causes of a rank change; null when no kept board is that old. */
export const RankChange = z
  .object({
    since: described(z.iso.datetime(), 'Time of the earlier board.'),
    rank_then: z.int().min(1).nullable(),
    rank_now: z.int().min(1).nullable(),
    change: described(places, 'Places gained; null without a rank at either time.'),
    own: described(places, "Places gained by the operator's own Yield."),
    field: described(places, "Places gained by changes of other operators' Yields."),
    method: described(places, 'Places gained by methodology changes.'),
  })
  .nullable()
  .meta({
    description:
      'Causes of a rank change, of which own, field and method add up to change; null when no kept board is that old. They are null, too, without a rank at either time, and when the kept methodology changes do not connect the two boards.',
  });

/** An operator's history on the kept boards: every hour of the last day, one per day for 100 days, and the current one. */
export const OperatorHistory = z
  .object({
    codename: described(z.string(), 'Unique public codename.'),
    window: WindowName,
    board_version: optional(z.int().min(1), 'The version of the current board.'),
    points: described(z.array(HistoryPoint), 'Oldest first; the last one is the current board.'),
    switches: optional(
      z.array(MethodologySwitch),
      'Methodology changes, oldest first: the same records ranked under both.',
    ),
    changes: optional(
      z.object({
        '24h': RankChange,
        '7d': RankChange,
        since: RankChange.optional(),
      }),
      'Causes of rank changes; with `since` also to the present counts, before a board has them.',
    ),
    page: optional(z.url(), "The operator's page."),
  })
  .meta({ description: "An operator's Yield and rank over time." });
