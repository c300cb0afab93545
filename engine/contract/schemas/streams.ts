import * as z from 'zod';
import { signedPayloadSchema } from '../snapshot.ts';
import { described, optional } from './described.ts';

const counts = signedPayloadSchema.pick({ input: true, output: true, cache_read: true, cache_write: true }).shape;
const platform = z.string();

/** The query of GET /streams. */
export const StreamsQuery = z.object({
  stream: optional(z.string(), 'A ledger: only its streams are listed, retired ones too.'),
});

export const Stream = z
  .object({
    stream: described(z.string(), 'The ledger id: `stream` of the signed header, or the key id without one.'),
    platform,
    epoch: z.int(),
    ...counts,
    last_grew_at: described(
      z.iso.datetime().nullable(),
      'The end of the hour in which it grew last, or of the day once that is a week ago; null without counts.',
    ),
  })
  .meta({ description: 'The newest counts of a ledger on a platform, in its highest epoch.' });

export const RetiredStreams = z
  .object({
    platform,
    streams: described(z.int(), 'Number of retired streams on the platform.'),
    ...counts,
  })
  .meta({ description: "The sum of a platform's retired streams." });

export const StreamList = z
  .object({
    limit: described(z.int(), 'Maximum number of active streams.'),
    streams: described(z.array(Stream), 'The active streams; with a ledger in the query, all of its streams.'),
    retired: described(z.array(RetiredStreams), 'Empty with a ledger in the query.'),
  })
  .meta({
    description:
      "The operator's streams. Without a ledger in the query, all counts together are its totals of all time.",
  });
