import { z } from 'zod';
import { REFUSAL_CODES } from '../engine/contract/index.ts';

const entry = { operator: z.int(), jti: z.string() };

/** Return value of a `process-batch` job: the ranking engine's BatchVerdict. */
export const batchVerdictSchema = z.strictObject({
  batch: z.string(),
  verdicts: z.array(
    z.discriminatedUnion('accepted', [
      z.strictObject({ ...entry, accepted: z.literal(true), changed: z.boolean() }),
      z.strictObject({ ...entry, accepted: z.literal(false), reason: z.enum(REFUSAL_CODES), detail: z.string() }),
    ]),
  ),
  totals: z.array(
    z.tuple([
      z.int(),
      z.strictObject({ input: z.number(), output: z.number(), cache_read: z.number(), cache_write: z.number() }),
    ]),
  ),
});
