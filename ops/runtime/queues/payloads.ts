import { z } from 'zod';
import { REFUSAL_CODES } from '../../../engine/contract/refusals.ts';

/** A log entry in a job's payload. The worker verifies its signature like any other. */
const entrySchema = z.strictObject({
  operator: z.int().min(1),
  jti: z.string().min(1).max(64),
  receivedAt: z.int().min(0),
  payload: z.strictObject({
    codename: z.string(),
    input: z.number().min(0),
    output: z.number().min(0),
    cache_read: z.number().min(0),
    cache_write: z.number().min(0),
    platform: z.string().optional(),
  }),
  signature: z.string().max(4_096),
});

/** One snapshot batch. Without `entries` the worker reads them from the log. */
export const processBatchSchema = z.strictObject({
  batch: z.string().min(1).max(64),
  entries: z.array(entrySchema).optional(),
});

const run = z.string().regex(/^[A-Za-z0-9]{1,32}$/);

/** One range of operators of a re-rank. */
export const rerankRangeSchema = z.strictObject({ run, range: z.int().min(0) });

/** The last job of a re-rank. */
export const rerankSwitchSchema = z.strictObject({ run });

/** A stored Stripe event. */
export const applyBillingEventSchema = z.strictObject({ event: z.string().min(1).max(255) });

export const nothingSchema = z.strictObject({});

const ofEntry = { operator: z.int(), jti: z.string() };

/** Return value of a `process-batch` job: the ranking engine's BatchVerdict. */
export const batchVerdictSchema = z.strictObject({
  batch: z.string(),
  verdicts: z.array(
    z.discriminatedUnion('accepted', [
      z.strictObject({ ...ofEntry, accepted: z.literal(true), changed: z.boolean() }),
      z.strictObject({ ...ofEntry, accepted: z.literal(false), reason: z.enum(REFUSAL_CODES), detail: z.string() }),
    ]),
  ),
  totals: z.array(
    z.tuple([
      z.int(),
      z.strictObject({ input: z.number(), output: z.number(), cache_read: z.number(), cache_write: z.number() }),
    ]),
  ),
});
