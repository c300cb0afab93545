import * as z from 'zod';
import { REFUSAL_CODES } from '../refusals.ts';

/** Contract, part 2; every member beyond the first three is additive. */
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
    changed: z.boolean().optional().meta({ description: 'False when the counts were not above what was known.' }),
    verdict: z.enum(['final', 'pending']).optional(),
    jti: z.string().optional().meta({ description: "The snapshot's id." }),
    reason: z.enum(REFUSAL_CODES).optional().meta({ description: 'Why the snapshot was refused.' }),
    detail: z.string().optional().meta({ description: 'The refusal in words.' }),
    status_url: z.url().optional().meta({ format: 'uri', description: 'Where to ask for a pending verdict.' }),
  })
  .meta({ description: 'What became of a snapshot.' });

export type SubmissionResultBody = z.infer<typeof SubmissionResult>;
