import { DAY_MS } from '../../../config/units.ts';
import type { RankingContext } from '../context.ts';
import { changeRecord } from './amend-operator.ts';

/** The least time between two changes of whether a row is hidden, in milliseconds. */
const HIDING_REST_MS = DAY_MS;

export type Hiding =
  | { readonly kind: 'changed' | 'unchanged' | 'gone' }
  /** `waitMs`: milliseconds until the next change is possible. */
  | { readonly kind: 'limit'; readonly detail: string; readonly waitMs: number };

/**
 * Hides an operator's row, or shows it again. Hidden, it is on no board from the next version on, and others read of it what they read
 * of an unknown codename; its record goes on. Ends neither an unlisting nor a suspension.
 */
export async function hideOperator(context: RankingContext, operator: number, hidden: boolean): Promise<Hiding> {
  const { stores, clock } = context;
  const present = await stores.operators.hidingOf(operator);
  if (present === null) return { kind: 'gone' };
  if (present.hidden === hidden) return { kind: 'unchanged' };
  const from = present.since + HIDING_REST_MS;
  const waitMs = from - clock();
  if (waitMs > 0) {
    const next = new Date(from).toISOString();
    const detail = `A row can be hidden or shown again once in 24 hours. The next change is possible from ${next}.`;
    return { kind: 'limit', detail, waitMs };
  }
  const write = (at: Date) => stores.operators.setHidden(operator, hidden, HIDING_REST_MS, at);
  const changed = await changeRecord(context, operator, write);
  // Recursion is bounded: a concurrent change or erasure came first, and no further change is possible for a day.
  return changed ? { kind: 'changed' } : hideOperator(context, operator, hidden);
}
