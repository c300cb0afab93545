import * as z from 'zod';
import { REFUSAL_CODES } from '../refusals.ts';
import { ROW_STATES } from '../row-states.ts';

/** Contract, part 2; every member after the first three is additive. */
export const SubmissionResult = z
  .object({
    accepted: z
      .boolean()
      .meta({ description: 'Whether the snapshot was accepted; also true while the verdict is pending.' }),
    codename: z.string(),
    rank: z
      .int()
      .min(1)
      .nullable()
      .meta({ description: 'All-time rank after the submission, null when unranked or pending.' }),
    row: z
      .enum(ROW_STATES)
      .nullable()
      .optional()
      .meta({ description: 'How the all-time row stands: `settled` rows are numbered; null without a Yield.' }),
    would_be: z
      .int()
      .min(1)
      .nullable()
      .optional()
      .meta({ description: 'The rank that a held row would have; null for all others.' }),
    changed: z.boolean().optional().meta({ description: 'False when no count exceeded the known one.' }),
    verdict: z.enum(['final', 'pending']).optional(),
    jti: z.string().optional().meta({ description: "The snapshot's id." }),
    reason: z.enum(REFUSAL_CODES).optional().meta({ description: 'Why the snapshot was refused.' }),
    detail: z.string().optional().meta({ description: 'Explanation of the refusal.' }),
    status_url: z.url().optional().meta({ format: 'uri', description: 'Where to get a pending verdict.' }),
  })
  .meta({ description: 'The outcome of a snapshot.' });

export type SubmissionResultBody = z.infer<typeof SubmissionResult>;
