import * as z from 'zod';
import { signedPayloadSchema } from '../snapshot.ts';
import { byWindow } from '../windows.ts';
import { described } from './described.ts';

/** The query of GET /operators/{codename}/snapshots. */
export const OpenRowQuery = z.object({
  before: z.string().optional().meta({ description: '`next` of the page before; without it the first page.' }),
});

const time = z.iso.datetime();
const counts = signedPayloadSchema.omit({ codename: true, platform: true });

/** A page of an open row, with what its snapshots are checked against: see the guide `open-rows`. */
export const OpenRow = z
  .object({
    codename: z.string(),
    methodology: z.int().min(1),
    as_of: described(time, 'The start of the hour for which `windows` hold.'),
    windows: z.object(byWindow(() => counts.extend({ yield_: z.number().nullable() }))),
    keys: z.array(z.object({ kid: z.string(), x: z.string(), created_at: time, revoked_at: time.nullable() })),
    before: described(z.string().nullable(), 'As asked.'),
    next: described(z.string().nullable(), '`before` of the next page; null on the last one.'),
    snapshots: described(
      z.array(z.object({ received_at: time, payload: z.string(), signature: z.string() })),
      'Accepted snapshots that count: the text that was signed, and the detached JWS over it.',
    ),
    left_out: z
      .int()
      .meta({ description: 'How many others, up to the next page, do not count or have no verdict yet.' }),
    by_our_word: described(
      z.object({
        received_before: time,
        samples: z.array(counts.extend({ stream: z.string(), platform: z.string(), epoch: z.int(), as_of: time })),
      }),
      'On the last page: what older snapshots came to, of which no signature is left.',
    ).nullable(),
  })
  .meta({ description: 'A page of the snapshots of an operator that opened its history.' });

export type OpenRowPage = z.output<typeof OpenRow>;
