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

/** The way of an operator over the boards that are kept: every hour of the last day, one a day for 100 days, and now. */
export const OperatorHistory = z
  .object({
    codename: z.string().meta({ description: 'Unique public codename.' }),
    window: z.enum(WINDOWS),
    points: z.array(HistoryPoint).meta({ description: 'Oldest first; the last one is the current board.' }),
  })
  .meta({ description: "An operator's Yield and rank over time." });
