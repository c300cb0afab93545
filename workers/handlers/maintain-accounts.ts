import type { HandlerContext } from './context.ts';

type Modules = Pick<HandlerContext, 'accounts' | 'billing' | 'ranking'>;

/**
 * Deletes expired records, settles offered leagues, applies suspensions and decisions to the boards, and repeats erasures: interrupted ones, and those of
 * the last hour, because a snapshot in flight may have been logged after its operator was erased.
 */
export async function maintainAccounts({ accounts, billing, ranking }: Modules): Promise<void> {
  await accounts.deleteExpired();
  await ranking.operators.removeExpiredHolds();
  await reconcileSuspensions({ accounts, ranking });
  await reconcileHolds({ accounts, ranking });
  await accounts.leagues.settleOffers();
  await accounts.cases.settle(ranking.operators.applyReview);
  for (const erasure of await accounts.erasures.open()) {
    if (!(await accounts.erasures.adopt(erasure))) continue;
    await ranking.operators.erase(erasure.operator);
    await billing.forget(erasure.operator);
    await accounts.erasures.erase(erasure.operator);
    await accounts.erasures.finish(erasure.operator);
  }
}

/** Starting or ending a suspension takes two writes, the account's first. Completes the interrupted ones. */
async function reconcileSuspensions({ accounts, ranking }: Omit<Modules, 'billing'>): Promise<void> {
  const suspended = new Set(await accounts.suspendedOperators());
  const excluded = new Set(await ranking.operators.suspended());
  for (const operator of new Set([...suspended, ...excluded])) {
    if (suspended.has(operator) === excluded.has(operator)) continue;
    // Read again: a command may be between its two writes.
    const account = await accounts.byOperator(operator);
    await ranking.operators.amend(operator, { suspended: account?.suspended === true });
  }
}

/** Ends the holds of returned operators whose time has come, and completes the interrupted ones. */
async function reconcileHolds({ accounts, ranking }: Omit<Modules, 'billing'>): Promise<void> {
  for (const { operator, until, isOver } of await accounts.holds.list()) {
    await ranking.operators.holdReturned(operator, !isOver);
    if (isOver) await accounts.holds.end(operator, until);
  }
}
