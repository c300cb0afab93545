import type { Accounts, Erasure } from '../../engine/accounts/index.ts';
import type { Billing } from '../../engine/billing/index.ts';
import type { Ranking } from '../../engine/ranking/index.ts';

export type Members = ReturnType<typeof createMembers>;

interface MembersOptions {
  readonly accounts: Pick<Accounts, 'erasures' | 'identities' | 'audit' | 'changes'>;
  readonly billing: Pick<Billing, 'forget'>;
  readonly operators: Pick<
    Ranking['operators'],
    'rename' | 'setDisplayName' | 'hide' | 'amend' | 'erase' | 'byNumber' | 'streams' | 'usageByDay'
  >;
  /** Records an erasure outside the database before it is done, because it has to survive a restore from backup. */
  readonly recordErasure: (erasure: Erasure) => Promise<void>;
}

/** Operations on an operator's account that span the accounts, billing and ranking modules. */
export function createMembers({ accounts, billing, operators, recordErasure }: MembersOptions) {
  return {
    async rename(operator: number, codename: string, client: string | null) {
      const former = await operators.byNumber(operator);
      const renaming = await accounts.changes.announce(operator, () => operators.rename(operator, codename));
      if (renaming.kind === 'renamed') {
        const detail = { from: former?.codename ?? '', to: renaming.codename };
        await accounts.audit.record({ kind: 'codename_changed', operator, client, detail });
      }
      return renaming;
    },
    async setDisplayName(operator: number, displayName: string | null) {
      const naming = await operators.setDisplayName(operator, displayName);
      if (naming.kind === 'set') {
        await accounts.audit.record({ kind: 'display_name_changed', operator, client: null, detail: {} });
      }
      return naming;
    },
    async hide(operator: number, hidden: boolean, client: string | null) {
      const hiding = await accounts.changes.announce(operator, () => operators.hide(operator, hidden));
      if (hiding.kind === 'changed') {
        await accounts.audit.record({ kind: hidden ? 'row_hidden' : 'row_shown', operator, client, detail: {} });
      }
      return hiding;
    },
    /** Opens an operator's history to everybody, or closes it. */
    async setOpen(operator: number, open: boolean, client: string | null): Promise<void> {
      if (!(await operators.amend(operator, { open }))) return;
      await accounts.audit.record({ kind: open ? 'row_opened' : 'row_closed', operator, client, detail: {} });
    },
    /** Erases an operator permanently; maintenance repeats it for an hour. Safe to repeat; false when there is no account. */
    async erase(operator: number): Promise<boolean> {
      const erasure = await accounts.erasures.begin(operator);
      if (erasure === null) return false;
      await recordErasure(erasure);
      // The boards first: the account remains until the end, so an interrupted erasure is found again.
      await operators.erase(operator);
      await billing.forget(operator);
      await accounts.erasures.erase(operator);
      return true;
    },
    addressesOf: (operator: number) => accounts.identities.addressesOf(operator),
    byNumber: (operator: number) => operators.byNumber(operator),
    usageByDay: (operator: number) => operators.usageByDay(operator),
    streams: (operator: number, ledger: string | null) => operators.streams(operator, ledger),
  };
}
