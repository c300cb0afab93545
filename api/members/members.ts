import type { Accounts, Erasure } from '../../engine/accounts/index.ts';
import type { Billing } from '../../engine/billing/index.ts';
import type { DisplayNaming, OperatorRecord, Ranking, Renaming } from '../../engine/ranking/index.ts';

/** Operations on an operator's account that span the accounts, billing and ranking modules. */
export interface Members {
  rename(operator: number, codename: string, client: string | null): Promise<Renaming>;
  setDisplayName(operator: number, displayName: string | null): Promise<DisplayNaming>;
  /** Erases an operator permanently; maintenance repeats it for an hour. Safe to repeat; false when there is no account. */
  erase(operator: number): Promise<boolean>;
  addressesOf(operator: number): Promise<readonly string[]>;
  byNumber(operator: number): Promise<OperatorRecord | null>;
}

export interface MembersOptions {
  readonly accounts: Pick<Accounts, 'erasures' | 'identities' | 'audit' | 'changes'>;
  readonly billing: Pick<Billing, 'forget'>;
  readonly operators: Pick<Ranking['operators'], 'rename' | 'setDisplayName' | 'erase' | 'byNumber'>;
  /** Records an erasure outside the database before it is done, because it has to survive a restore from backup. */
  readonly recordErasure: (erasure: Erasure) => Promise<void>;
}

export function createMembers({ accounts, billing, operators, recordErasure }: MembersOptions): Members {
  return {
    async rename(operator, codename, client) {
      const former = await operators.byNumber(operator);
      const renaming = await accounts.changes.announce(operator, () => operators.rename(operator, codename));
      if (renaming.kind === 'renamed') {
        const detail = { from: former?.codename ?? '', to: renaming.codename };
        await accounts.audit.record({ kind: 'codename_changed', operator, client, detail });
      }
      return renaming;
    },
    async setDisplayName(operator, displayName) {
      const naming = await operators.setDisplayName(operator, displayName);
      if (naming.kind === 'set') {
        await accounts.audit.record({ kind: 'display_name_changed', operator, client: null, detail: {} });
      }
      return naming;
    },
    async erase(operator) {
      const erasure = await accounts.erasures.begin(operator);
      if (erasure === null) return false;
      await recordErasure(erasure);
      // The boards first: the account remains until the end, so an interrupted erasure is found again.
      await operators.erase(operator);
      await billing.forget(operator);
      await accounts.erasures.erase(operator);
      return true;
    },
    addressesOf: (operator) => accounts.identities.addressesOf(operator),
    byNumber: (operator) => operators.byNumber(operator),
  };
}
