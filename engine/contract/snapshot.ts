import * as z from 'zod';
import { REFUSAL_CODES } from './refusals.ts';
import { ROW_STATES } from './row-states.ts';

// The shape of a snapshot, on its way from a submission through the log and the queue to its verdict. Submissions are
// checked in more detail by `schemas/snapshot-submission.ts`.

type DeepReadonly<T> = { readonly [Key in keyof T]: DeepReadonly<T[Key]> };

const count = z.number().min(0);

/** The members that a snapshot's signature covers, as received: an absent platform stays absent. */
export const signedPayloadSchema = z.strictObject({
  codename: z.string(),
  input: count,
  output: count,
  cache_read: count,
  cache_write: count,
  platform: z.string().optional(),
});

export type SignedPayload = DeepReadonly<z.output<typeof signedPayloadSchema>>;

/** The four token counts of a snapshot, in tokens: finite, at least 0, at most `MAX_COUNT`. Whole numbers, but in entries that were logged before fractions were refused. */
export type Counts = Omit<SignedPayload, 'codename' | 'platform'>;

const operator = z.int();

/** Null without a Yield. */
const row = z.enum(ROW_STATES).nullable();

/** A snapshot in the log. `operator` is an operator number. */
export const logEntrySchema = z.strictObject({
  operator: operator.min(1),
  jti: z.string().min(1).max(64),
  /** Milliseconds since the epoch. Verification uses this time as the present. */
  receivedAt: z.int().min(0),
  payload: signedPayloadSchema,
  /** The detached compact JWS as received. */
  signature: z.string().max(4_096),
});

export type LogEntry = DeepReadonly<z.output<typeof logEntrySchema>>;

const ofEntry = { operator, jti: z.string() };

/** The outcome of one log entry. */
const verdictSchema = z.discriminatedUnion('accepted', [
  /** `changed` is false when no total exceeded the known one. */
  z.strictObject({ ...ofEntry, accepted: z.literal(true), changed: z.boolean() }),
  z.strictObject({ ...ofEntry, accepted: z.literal(false), reason: z.enum(REFUSAL_CODES), detail: z.string() }),
]);

export type Verdict = DeepReadonly<z.output<typeof verdictSchema>>;

/** The verdicts of one batch, with the totals that the responses need. */
export const batchVerdictSchema = z.strictObject({
  batch: z.string(),
  verdicts: z.array(verdictSchema),
  /** For every operator with an accepted entry its all-time totals after the batch was applied, and how its row then stands. */
  totals: z.array(z.tuple([operator, signedPayloadSchema.omit({ codename: true, platform: true }).extend({ row })])),
});

/** Totals, and how the row of them stands. */
export type JudgedTotals = BatchVerdict['totals'][number][1];

export type BatchVerdict = DeepReadonly<z.output<typeof batchVerdictSchema>>;
