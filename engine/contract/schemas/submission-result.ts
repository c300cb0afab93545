import * as z from 'zod';
import { REFUSAL_CODES } from '../refusals.ts';
import { ROW_STATES } from '../row-states.ts';
import { described, optional } from './described.ts';

/** Contract, part 2; every member after the first three is additive. */
export const SubmissionResult = z
  .object({
    accepted: described(z.boolean(), 'Whether the snapshot was accepted; also true while the verdict is pending.'),
    codename: z.string(),
    rank: described(z.int().min(1).nullable(), 'All-time rank after the submission, null when unranked or pending.'),
    row: optional(
      z.enum(ROW_STATES).nullable(),
      'How the all-time row stands: `settled` rows are numbered; null without a Yield.',
    ),
    would_be: optional(z.int().min(1).nullable(), 'The rank that a held or hidden row would have; null for others.'),
    hidden: optional(z.boolean(), 'Whether you hid your row: then it has no rank.'),
    changed: optional(z.boolean(), 'False when no count exceeded the known one.'),
    verdict: z.enum(['final', 'pending']).optional(),
    jti: optional(z.string(), "The snapshot's id."),
    reason: optional(z.enum(REFUSAL_CODES), 'Why the snapshot was refused.'),
    detail: optional(z.string(), 'Explanation of the refusal.'),
    status_url: z.url().optional().meta({ format: 'uri', description: 'Where to get a pending verdict.' }),
  })
  .meta({ description: 'The outcome of a snapshot.' });

export type SubmissionResultBody = z.infer<typeof SubmissionResult>;
