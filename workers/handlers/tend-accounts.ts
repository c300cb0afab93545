import type { HandlerContext } from './handlers.ts';

/**
 * Deletes what has expired, and repeats erasures: those that were cut short, and those of the last hour, because a
 * snapshot that was under way may have come to the log after its operator had gone.
 */
export async function tendAccounts({
  accounts,
  billing,
  ranking,
}: Pick<HandlerContext, 'accounts' | 'billing' | 'ranking'>): Promise<void> {
  await accounts.sweepExpired();
  await ranking.operators.sweepHolds();
  for (const erasure of await accounts.erasures.open()) {
    if (!(await accounts.erasures.adopt(erasure))) continue;
    await ranking.operators.erase(erasure.operator);
    await billing.forget(erasure.operator);
    await accounts.erasures.erase(erasure.operator);
    await accounts.erasures.finish(erasure.operator);
  }
}
