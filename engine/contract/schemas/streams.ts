import * as z from 'zod';
import { signedPayloadSchema } from '../snapshot.ts';

const counts = signedPayloadSchema.pick({ input: true, output: true, cache_read: true, cache_write: true }).shape;
const platform = z.string();

/** The query of GET /streams. */
export const StreamsQuery = z.object({
  stream: z.string().optional().meta({ description: 'A ledger: only its streams are listed, retired ones too.' }),
});

export const Stream = z
  .object({
    stream: z
      .string()
      .meta({ description: 'The ledger id: `stream` of the signed header, or the key id without one.' }),
    platform,
    epoch: z.int(),
    ...counts,
    last_grew_at: z.iso.datetime().nullable().meta({
      description:
        'The end of the hour in which it grew last, or of the day once that is a week ago; null without counts.',
    }),
  })
  .meta({ description: 'The newest counts of a ledger on a platform, in its highest epoch.' });

export const RetiredStreams = z
  .object({
    platform,
    streams: z.int().meta({ description: 'Number of retired streams on the platform.' }),
    ...counts,
  })
  .meta({ description: "The sum of a platform's retired streams." });

export const StreamList = z
  .object({
    limit: z.int().meta({ description: 'Maximum number of active streams.' }),
    streams: z
      .array(Stream)
      .meta({ description: 'The active streams; with a ledger in the query, all of its streams.' }),
    retired: z.array(RetiredStreams).meta({ description: 'Empty with a ledger in the query.' }),
  })
  .meta({
    description:
      "The operator's streams. Without a ledger in the query, all counts together are its totals of all time.",
  });
