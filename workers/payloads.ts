import { z } from 'zod';

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
