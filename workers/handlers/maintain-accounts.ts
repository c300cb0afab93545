import type { HandlerContext } from './context.ts';

type Modules = Pick<HandlerContext, 'accounts' | 'billing' | 'ranking'>;

/**
 * Deletes what has expired, brings the boards in line with suspensions, and repeats erasures: those that were cut short, and
 * those of the last hour, because a snapshot that was under way may have come to the log after its operator had gone.
 */
export async function maintainAccounts({ accounts, billing, ranking }: Modules): Promise<void> {
  await accounts.deleteExpired();
  await ranking.operators.removeExpiredHolds();
  await reconcileSuspensions({ accounts, ranking });
  for (const erasure of await accounts.erasures.open()) {
    if (!(await accounts.erasures.adopt(erasure))) continue;
    await ranking.operators.erase(erasure.operator);
    await billing.forget(erasure.operator);
    await accounts.erasures.erase(erasure.operator);
    await accounts.erasures.finish(erasure.operator);
  }
}

/** A suspension, and its end, is two writes, the account's first. Finishes those that were interrupted in between. */
async function reconcileSuspensions({ accounts, ranking }: Omit<Modules, 'billing'>): Promise<void> {
  const suspended = new Set(await accounts.suspendedOperators());
  const offBoards = new Set(await ranking.operators.suspended());
  for (const operator of new Set([...suspended, ...offBoards])) {
    if (suspended.has(operator) === offBoards.has(operator)) continue;
    // Read again: a command may have been between its two writes.
    const account = await accounts.byOperator(operator);
    await ranking.operators.amend(operator, { suspended: account?.suspended === true });
  }
}
