import type * as z from 'zod';
import { isProblemCode, PROBLEMS, type ProblemCode, type ProblemItemBody } from '../../engine/contract/index.ts';
import { validationProblem } from './problem.ts';

export type Item = ProblemItemBody & { code: ProblemCode };

/** Maximum number of errors in one problem. */
const MAX_ITEMS = 20;

/** The errors of a schema, each with its place and the problem code, which schemas set as the message. */
export function itemsOf(error: z.core.$ZodError, place: 'pointer' | 'parameter'): Item[] {
  return error.issues.slice(0, MAX_ITEMS).map((issue) => {
    const code = isProblemCode(issue.message) ? issue.message : 'validation_failed';
    const where = place === 'pointer' ? pointer(issue.path) : issue.path.join('.');
    const detail = detailOf(issue) ?? `${PROBLEMS[code].title}${where === '' ? '' : `: ${where}`}.`;
    return place === 'pointer' ? { pointer: where, code, detail } : { parameter: where, code, detail };
  });
}

/** The detail that a schema set in the issue's parameters; null without one. */
function detailOf(issue: z.core.$ZodIssue): string | null {
  const detail: unknown = issue.code === 'custom' ? issue.params?.['detail'] : undefined;
  return typeof detail === 'string' ? detail : null;
}

/** Parses a value by a schema. @throws Problem with the first error's code and all errors. */
export function parseBody<S extends z.ZodType>(value: unknown, schema: S): z.output<S> {
  const parsed = schema.safeParse(value);
  if (parsed.success) return parsed.data;
  const [first, ...rest] = itemsOf(parsed.error, 'pointer');
  throw validationProblem([first ?? { code: 'validation_failed', detail: PROBLEMS.validation_failed.title }, ...rest]);
}

/** RFC 6901: the empty text is the whole body. */
function pointer(path: readonly PropertyKey[]): string {
  return path.map((part) => `/${String(part).replaceAll('~', '~0').replaceAll('/', '~1')}`).join('');
}
