import { z } from 'zod';
import { logEntrySchema } from '../../../engine/contract/snapshot.ts';

/** One snapshot batch. Without `entries` the worker reads them from the log; it verifies either like any other. */
export const processBatchSchema = z.strictObject({
  batch: z.string().min(1).max(64),
  entries: z.array(logEntrySchema).optional(),
});

const run = z.string().regex(/^[A-Za-z0-9]{1,32}$/);

/** One range of operators of a re-rank. */
export const rerankRangeSchema = z.strictObject({ run, range: z.int().min(0) });

/** The last job of a re-rank. */
export const rerankSwitchSchema = z.strictObject({ run });

/** A stored Stripe event. */
export const applyBillingEventSchema = z.strictObject({ event: z.string().min(1).max(255) });

export const nothingSchema = z.strictObject({});
