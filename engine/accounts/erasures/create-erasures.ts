import type { AccountStore } from '../mongo/account-store.ts';
import type { AuditStore } from '../mongo/audit-store.ts';
import type { DeviceStore } from '../mongo/device-store.ts';
import type { ErasureStore } from '../mongo/erasure-store.ts';
import type { IdentityStore } from '../mongo/identity-store.ts';
import type { OneTimeStore } from '../mongo/one-time-store.ts';
import type { SessionStore } from '../mongo/session-store.ts';
import { hashOf } from '../secrets.ts';
import type { AccountChanges, Clock, Erasures, OidcRecords } from '../types.ts';

/** An erasure is repeated for this long, to catch writes that were in flight when it began, in milliseconds. */
const REPEAT_PERIOD_MS = 60 * 60 * 1_000;

export interface ErasuresOptions {
  readonly store: ErasureStore;
  readonly accounts: AccountStore;
  readonly identities: IdentityStore;
  readonly devices: DeviceStore;
  readonly sessions: SessionStore;
  readonly oneTime: OneTimeStore;
  readonly oidc: OidcRecords;
  readonly audit: AuditStore;
  readonly changes: AccountChanges;
  readonly clock: Clock;
}

/** Erases operators. The account is deleted last, so an interrupted erasure still has it. */
export function createErasures(options: ErasuresOptions): Erasures {
  const { store, accounts, identities, devices, sessions, oneTime, oidc, audit, changes, clock } = options;
  return {
    async begin(operator) {
      const account = await accounts.byOperator(operator);
      if (account === null) return null;
      const erased_at = new Date(clock()).toISOString();
      const erasure = { operator, subject_hash: hashOf(account.subject), erased_at };
      await changes.announce(operator, () => store.begin(erasure));
      return erasure;
    },
    async erase(operator) {
      const account = await accounts.byOperator(operator);
      if (account !== null) await oidc.revokeSubject(account.subject);
      await sessions.endAll(operator);
      const concerned = [...(await identities.addressesOf(operator)), ...(account === null ? [] : [account.subject])];
      await oneTime.eraseAbout(concerned.map(hashOf), operator);
      await identities.eraseOf(operator);
      await devices.eraseOf(operator);
      await audit.eraseOf(operator);
      await accounts.remove(operator);
    },
    finish: (operator) => store.finish(operator, new Date(clock())),
    open: () => store.open(new Date(clock() - REPEAT_PERIOD_MS)),
    list: () => store.list(),
    async adopt(erasure) {
      const account = await accounts.byOperator(erasure.operator);
      if (account !== null && hashOf(account.subject) !== erasure.subject_hash) return false;
      await changes.announce(erasure.operator, () => store.begin(erasure));
      return true;
    },
  };
}
