import type { ProblemCode } from '../problem-codes.ts';

/** A zod error option whose message is a problem code; the api maps it back to the code. */
export function coded(code: ProblemCode): { error: ProblemCode } {
  return { error: code };
}

/** As `coded`, but an absent value gives `field_missing`. */
export function requiredOr(code: ProblemCode): { error: (issue: { readonly input?: unknown }) => ProblemCode } {
  return { error: (issue) => (issue.input === undefined ? 'field_missing' : code) };
}
