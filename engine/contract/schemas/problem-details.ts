import * as z from 'zod';

/** One error in a request: its location (`pointer` into the body, or `parameter`), code and explanation. */
export const ProblemItem = z.object({
  pointer: z.string().optional().meta({ description: 'RFC 6901 pointer into the body.' }),
  parameter: z.string().optional().meta({ description: 'Name of a query or path parameter.' }),
  code: z.string(),
  detail: z.string(),
});

export type ProblemItemBody = z.infer<typeof ProblemItem>;

/** Contract, part 7 (RFC 9457); `hint`, `errors` and `links` are extension members. */
export const ProblemDetails = z
  .object({
    type: z.string().meta({ format: 'uri-reference', description: 'Problem type: the address of its page.' }),
    title: z.string().meta({ description: 'Short summary of the problem type.' }),
    status: z.int().min(400).max(599).meta({ description: 'HTTP status of this occurrence.' }),
    detail: z.string().optional().meta({ description: 'Explanation of this occurrence.' }),
    instance: z.string().optional().meta({ format: 'uri-reference', description: 'Identifies the occurrence.' }),
    code: z.string().optional().meta({ description: 'Stable machine-readable code.' }),
    hint: z.string().optional().meta({ description: 'How to recover, when recovery is possible.' }),
    errors: z.array(ProblemItem).optional().meta({ description: 'All errors in the request.' }),
    links: z.record(z.string(), z.string()).optional().meta({ description: 'Related addresses.' }),
  })
  .meta({ description: 'RFC 9457 problem details.' });

export type ProblemBody = z.infer<typeof ProblemDetails>;
