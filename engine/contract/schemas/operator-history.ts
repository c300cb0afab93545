import * as z from 'zod';
import { WINDOWS } from '../windows.ts';
import { coded } from './coded.ts';

/** The query of GET /operators/{codename}/history. Values arrive as text. */
export const HistoryQuery = z.object({
  window: z
    .enum(WINDOWS, coded('window_invalid'))
    .default('all_time')
    .meta({ description: 'The period whose totals were ranked.' }),
});

/** What one board said of an operator. */
export const HistoryPoint = z
  .object({
    at: z.iso.datetime().meta({ description: 'The moment of the board.' }),
    rank: z.int().min(1).nullable().meta({ description: 'Null where the operator was not ranked.' }),
    yield_: z.number().nullable().meta({ format: 'double' }),
    methodology: z.int().min(1).meta({ description: 'The methodology that made the board.' }),
  })
  .meta({ description: 'What one board said of an operator.' });

const place = HistoryPoint.pick({ methodology: true, rank: true, yield_: true });

const places = z.int().nullable();

/** Why a rank changed. */
const RankChange = z
  .object({
    since: z.iso.datetime().meta({ description: 'The moment of the former board.' }),
    rank_then: z.int().min(1).nullable(),
    rank_now: z.int().min(1).nullable(),
    change: places.meta({ description: 'Places climbed; null where there was no rank then, or is none now.' }),
    own: places.meta({ description: "Places by the operator's own Yield." }),
    field: places.meta({ description: "Places by the other operators' Yields." }),
    method: places.meta({ description: 'Places by a change of the methodology.' }),
  })
  .meta({ description: 'Why a rank changed: own, field and method add up to the change.' });

/** The way of an operator over the boards that are kept: every hour of the last day, one a day for 100 days, and now. */
export const OperatorHistory = z
  .object({
    codename: z.string().meta({ description: 'Unique public codename.' }),
    window: z.enum(WINDOWS),
    board_version: z.int().min(1).optional().meta({ description: 'The version of the current board.' }),
    points: z.array(HistoryPoint).meta({ description: 'Oldest first; the last one is the current board.' }),
    switches: z
      .array(z.object({ at: z.iso.datetime(), before: place, after: place }))
      .optional()
      .meta({ description: 'Changes of the methodology: the same records ranked by either, the oldest first.' }),
    changes: z
      .object({ '24h': RankChange.nullable(), '7d': RankChange.nullable() })
      .optional()
      .meta({ description: 'Why the rank changed; null where no board is that old.' }),
  })
  .meta({ description: "An operator's Yield and rank over time." });
