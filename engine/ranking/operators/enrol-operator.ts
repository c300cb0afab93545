import { CODENAME_PATTERN, codenameKey } from '../../contract/signing/index.ts';
import type { RankingContext } from '../context.ts';
import { randomId } from '../storage/unique-id.ts';
import { RESERVED_CODENAMES } from './reserved-codenames.ts';
import { displayNameProblem } from './set-display-name.ts';

/** How long a codename is reserved while an operator is created or renamed, in milliseconds. */
export const CREATION_HOLD_MS = 60 * 1_000;

export type Enrolment =
  | { readonly kind: 'enrolled'; readonly operator: number }
  | { readonly kind: 'taken' | 'invalid' | 'reserved'; readonly detail: string };

/** The reason why a codename is not allowed, apart from being taken; null when it is allowed. */
export function codenameProblem(codename: string): Exclude<Enrolment, { kind: 'enrolled' }> | null {
  const key = codenameKey(codename);
  if (!CODENAME_PATTERN.test(key)) {
    const detail = 'A codename has 3 to 32 letters, digits and hyphens, and no hyphen at either end.';
    return { kind: 'invalid', detail };
  }
  if (RESERVED_CODENAMES.has(key)) return { kind: 'reserved', detail: `The codename ${key} is reserved.` };
  return null;
}

/** Creates an operator without usage. Its number is never reused. */
export async function enrolOperator(
  context: RankingContext,
  { codename, displayName = null }: { readonly codename: string; readonly displayName?: string | null },
): Promise<Enrolment> {
  const problem = codenameProblem(codename);
  if (problem !== null) return problem;
  const { stores, clock } = context;
  const detail = displayName === null ? null : await displayNameProblem(context, null, displayName);
  if (detail !== null) return { kind: 'invalid', detail };
  const now = clock();
  const taken = { kind: 'taken', detail: `The codename ${codenameKey(codename)} is taken.` } as const;
  const holder = randomId();
  const until = new Date(now + CREATION_HOLD_MS);
  if (!(await stores.codenameHolds.take(codename, holder, new Date(now), until))) return taken;
  const operator = await stores.operators.create(codename, displayName, new Date(now));
  await stores.codenameHolds.release(codename, holder, until);
  if (operator === null) return taken;
  return { kind: 'enrolled', operator };
}
