import type { AccountStore } from './mongo/account-store.ts';
import type { SessionStore } from './mongo/session-store.ts';
import type { AccountChanges, Accounts, AuditLog, OidcRecords } from './types.ts';

export interface SuspensionParts {
  readonly accounts: AccountStore;
  readonly sessions: SessionStore;
  readonly oidc: OidcRecords;
  readonly audit: AuditLog;
  readonly changes: AccountChanges;
}

/** Suspends and restores operators. What a suspension ended stays ended: whoever is restored signs in anew. */
export function createSuspension({ accounts, sessions, oidc, audit, changes }: SuspensionParts): Accounts['suspend'] {
  const suspend: Accounts['suspend'] = async (operator, suspended) => {
    const account = await accounts.byOperator(operator);
    if (account === null || !(await accounts.setSuspended(operator, suspended))) return false;
    if (suspended) {
      await oidc.revokeSubject(account.subject);
      await sessions.endAll(operator);
    }
    const kind = suspended ? 'operator_suspended' : 'operator_restored';
    await audit.record({ kind, operator, client: null, detail: {} });
    return true;
  };
  return (operator, suspended) => changes.announce(operator, () => suspend(operator, suspended));
}
