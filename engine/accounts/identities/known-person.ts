import type { AccountParts } from '../open-parts.ts';
import type { SignInProvider } from '../types.ts';
import { canonicalAddress } from './canonical-address.ts';

/** A provider's statement about the person who has just signed in there. */
export interface SignedInPerson {
  readonly provider: SignInProvider;
  /** The provider's permanent id of the person. */
  readonly subject: string;
  readonly label: string;
  /** Only an address that the provider has verified. */
  readonly verifiedEmail: string | null;
}

/** A person with the key of the identity and the canonical address. */
export interface KnownPerson extends SignedInPerson {
  readonly key: string;
  readonly address: string | null;
}

export function toKnownPerson(person: SignedInPerson): KnownPerson {
  const address = person.verifiedEmail === null ? null : canonicalAddress(person.verifiedEmail);
  return { ...person, key: `${person.provider}:${person.subject}`, address };
}

/** Adds the identity to the account; false when the identity belongs to an account already. `vouch` claims its address afterwards. */
export function insertIdentity(
  { identityStore, clock }: AccountParts,
  person: KnownPerson,
  operator: number,
): Promise<boolean> {
  const { key, provider, label, address } = person;
  return identityStore.insert({ key, operator, provider, label, email: address }, new Date(clock()));
}

/**
 * Makes a stored identity vouch for the address that its provider reports now. `gone`: the identity was removed meanwhile.
 * `elsewhere`: the address belongs to another account or, with `joins`, does not belong to this one.
 */
export async function vouch(
  { identityStore: store, clock }: Pick<AccountParts, 'identityStore' | 'clock'>,
  { key, label, address }: KnownPerson,
  operator: number,
  { joins = false } = {},
): Promise<'vouched' | 'elsewhere' | 'gone'> {
  const at = new Date(clock());
  const identity = { operator, key };
  await store.withdraw(identity, address);
  const claimed =
    address === null ||
    (await (joins ? store.joinAddress(address, identity) : store.claimAddress(address, identity, at)));
  // Read after the claim: a removal that happens later withdraws the claimed address.
  if (await store.touch(operator, key, { label, email: address }, at)) return claimed ? 'vouched' : 'elsewhere';
  await store.withdraw(identity, null);
  return 'gone';
}

/** Removes an identity and its claims to addresses, including a claim by a concurrent sign-in. */
export async function removeIdentity(
  { identityStore: store }: AccountParts,
  operator: number,
  key: string,
): Promise<void> {
  await store.withdraw({ operator, key }, null);
  await store.remove(operator, key);
  await store.withdraw({ operator, key }, null);
}
