import type { AccountStore } from '../mongo/account-store.ts';
import type { IdentityStore } from '../mongo/identity-store.ts';
import type { SessionStore } from '../mongo/session-store.ts';
import type { SharedStore } from '../mongo/shared-store.ts';
import type { Account, AuditLog, Clock, OidcRecords, SignedInPerson } from '../types.ts';
import { canonicalAddress } from './canonical-address.ts';
import { identityKey } from './identity-key.ts';

export interface IdentitiesOptions {
  readonly accounts: AccountStore;
  readonly store: IdentityStore;
  readonly shared: SharedStore;
  readonly sessions: Pick<SessionStore, 'endOpenedBy'>;
  readonly oidc: Pick<OidcRecords, 'revokeOpenedBy'>;
  readonly audit: AuditLog;
  readonly clock: Clock;
  readonly createAccount: (operator: number) => Promise<Account>;
}

/** A person as the store knows one. */
export interface Known extends SignedInPerson {
  readonly key: string;
  readonly address: string | null;
}

export function knownOf(person: SignedInPerson): Known {
  const address = person.verifiedEmail === null ? null : canonicalAddress(person.verifiedEmail);
  return { ...person, key: identityKey(person.provider, person.subject), address };
}

/** Adds the identity to the account; false when it has one. Its address is claimed after that, by `vouch`. */
export function insertIdentity({ store, clock }: IdentitiesOptions, person: Known, operator: number): Promise<boolean> {
  const { key, provider, label, address } = person;
  return store.insert({ key, operator, provider, label, email: address }, new Date(clock()));
}

/**
 * Makes a stored identity vouch for the address that its provider reports now. `gone` when the identity was removed meanwhile;
 * `elsewhere` when the address belongs to another account, or with `joins`, does not belong to this one.
 */
export async function vouch(
  { store, clock }: IdentitiesOptions,
  { key, label, address }: Known,
  operator: number,
  { joins = false } = {},
): Promise<'vouched' | 'elsewhere' | 'gone'> {
  const at = new Date(clock());
  const identity = { operator, key };
  await store.withdraw(identity, address);
  const claimed =
    address === null ||
    (await (joins ? store.joinAddress(address, identity) : store.claimAddress(address, identity, at)));
  // Read after the claim: a removal that this does not see withdraws what was claimed.
  if (await store.touch(operator, key, { label, email: address }, at)) return claimed ? 'vouched' : 'elsewhere';
  await store.withdraw(identity, null);
  return 'gone';
}

/** Removes an identity and what it vouches for, a claim by a sign-in at the same moment included. */
export async function removeIdentity({ store }: IdentitiesOptions, operator: number, key: string): Promise<void> {
  await store.withdraw({ operator, key }, null);
  await store.remove(operator, key);
  await store.withdraw({ operator, key }, null);
}
