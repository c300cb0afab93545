import * as z from 'zod';
import { described, optional } from './described.ts';

/** One error in a request: its location (`pointer` into the body, or `parameter`), code and explanation. */
export const ProblemItem = z.object({
  pointer: optional(z.string(), 'RFC 6901 pointer into the body.'),
  parameter: optional(z.string(), 'Name of a query or path parameter.'),
  code: z.string(),
  detail: z.string(),
});

export type ProblemItemBody = z.infer<typeof ProblemItem>;

/** Contract, part 7 (RFC 9457); `hint`, `errors` and `links` are extension members. */
export const ProblemDetails = z
  .object({
    type: z.string().meta({ format: 'uri-reference', description: 'Problem type: the address of its page.' }),
    title: described(z.string(), 'Short summary of the problem type.'),
    status: described(z.int().min(400).max(599), 'HTTP status of this occurrence.'),
    detail: optional(z.string(), 'Explanation of this occurrence.'),
    instance: z.string().optional().meta({ format: 'uri-reference', description: 'Identifies the occurrence.' }),
    code: optional(z.string(), 'Stable machine-readable code.'),
    hint: optional(z.string(), 'How to recover, when recovery is possible.'),
    errors: optional(z.array(ProblemItem), 'All errors in the request.'),
    links: optional(z.record(z.string(), z.string()), 'Related addresses.'),
  })
  .meta({ description: 'RFC 9457 problem details.' });

export type ProblemBody = z.infer<typeof ProblemDetails>;
