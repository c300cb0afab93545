import type { ProblemCode } from '../problem-codes.ts';

/** A zod error that carries a problem code as its message; the api reads it back from there. */
export function coded(code: ProblemCode): { error: ProblemCode } {
  return { error: code };
}

/** As `coded`, but a value that is absent altogether is a missing field. */
export function requiredOr(code: ProblemCode): { error: (issue: { readonly input?: unknown }) => ProblemCode } {
  return { error: (issue) => (issue.input === undefined ? 'field_missing' : code) };
}
