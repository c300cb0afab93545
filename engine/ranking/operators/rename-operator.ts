import { DAY_MS } from '../../../config/units.ts';
import { codenameKey } from '../../contract/signing/index.ts';
import type { RankingContext } from '../context.ts';
import { changeRecord } from './amend-operator.ts';
import { CREATION_HOLD_MS, codenameProblem } from './enrol-operator.ts';
import { operatorByNumber } from './find-operator.ts';

/** How long a former codename stays reserved, in milliseconds. */
export const CODENAME_REST_MS = 90 * DAY_MS;

/** Renames allowed in `RENAME_WINDOW_MS`, and former codenames that stay reserved. */
const MAX_RENAMES = 3;
const MAX_HELD_CODENAMES = 3;
const RENAME_WINDOW_MS = 30 * DAY_MS;

export type Renaming =
  | { readonly kind: 'renamed' | 'unchanged'; readonly codename: string }
  | { readonly kind: 'taken' | 'invalid' | 'reserved'; readonly detail: string }
  /** `waitMs`: milliseconds until the operator can be renamed again. */
  | { readonly kind: 'limit'; readonly detail: string; readonly waitMs: number }
  | { readonly kind: 'gone' };

/**
 * Renames an operator, at most `MAX_RENAMES` times in `RENAME_WINDOW_MS`. The former codename is reserved for 90 days and the
 * operator may return to it; only the last `MAX_HELD_CODENAMES` former ones stay reserved. When two operators swap codenames
 * at the same moment, both may be refused because the codename is taken.
 */
export async function renameOperator(context: RankingContext, operator: number, wanted: string): Promise<Renaming> {
  const problem = codenameProblem(wanted);
  if (problem !== null) return problem;
  const { stores, clock, failpoint } = context;
  const record = await operatorByNumber(context, operator);
  if (record === null) return { kind: 'gone' };
  const codename = codenameKey(wanted);
  if (record.codename === codename) return { kind: 'unchanged', codename };
  const now = clock();
  const waitMs = renameWaitMs(await stores.operators.renamesOf(operator), now);
  if (waitMs > 0) return limitReached(now, waitMs);
  const taken = { kind: 'taken', detail: `The codename ${codename} is taken.` } as const;
  const { codenameHolds } = stores;
  const [holder, at, until] = [String(operator), new Date(now), new Date(now + CREATION_HOLD_MS)];
  if (!(await codenameHolds.take(codename, holder, at, until))) return taken;
  await failpoint('rename.wanted_held');
  // Reserve the former codename before giving it up: it is never free in between.
  const rests = await codenameHolds.take(record.codename, holder, at, new Date(now + CODENAME_REST_MS));
  await failpoint('rename.former_held');
  const limit = { most: MAX_RENAMES, windowMs: RENAME_WINDOW_MS };
  const change = { from: record.codename, to: codename, limit };
  const renamed =
    rests && (await changeRecord(context, operator, (moment) => stores.operators.rename(operator, change, moment)));
  if (renamed) {
    await codenameHolds.keepLast(holder, codename, now, MAX_HELD_CODENAMES);
    return { kind: 'renamed', codename };
  }
  // Keep the hold on the former codename: a concurrent rename of the same operator may have given it up.
  await codenameHolds.release(codename, holder, until);
  const present = await operatorByNumber(context, operator);
  if (present === null) {
    await codenameHolds.eraseOf(holder, now);
    return { kind: 'gone' };
  }
  // Recursion is bounded: each round means that a concurrent rename succeeded, and renames are limited.
  return present.codename === record.codename ? taken : renameOperator(context, operator, wanted);
}

/** Milliseconds until another rename is allowed, given the times of the last ones, oldest first. */
function renameWaitMs(renames: readonly number[], now: number): number {
  const [first] = renames.slice(-MAX_RENAMES);
  return renames.length < MAX_RENAMES || first === undefined ? 0 : Math.max(0, first + RENAME_WINDOW_MS - now);
}

function limitReached(now: number, waitMs: number): Renaming {
  const next = new Date(now + waitMs).toISOString();
  const detail = `A codename can be changed ${MAX_RENAMES} times in 30 days. The next change is possible from ${next}.`;
  return { kind: 'limit', detail, waitMs };
}
