import { MAX_IDENTITIES } from '../limits.ts';
import type { Identity } from '../mongo/identity-store.ts';
import type { AccountParts } from '../open-parts.ts';
import {
  insertIdentity,
  type KnownPerson,
  removeIdentity,
  type SignedInPerson,
  toKnownPerson,
  vouch,
} from './known-person.ts';
import { holdReturned, isExcluded } from './returns.ts';
import { type Attempt, type OperatorMaker, signInPerson } from './sign-in-person.ts';

export function createIdentities(parts: AccountParts) {
  const { identityStore: store, audit, clock } = parts;
  return {
    /**
     * Finds the account of a person by identity, else by verified address as far as the policy allows, else creates one. Any
     * number of concurrent first sign-ins of one person create one account.
     */
    signIn: (person: SignedInPerson, maker: OperatorMaker, policy: Pick<Attempt, 'client' | 'knownAddress'>) =>
      signInPerson(parts, { person: toKnownPerson(person), maker, ...policy }),

    /** Adds a way to sign in. `taken`: it belongs to another account. */
    link: (operator: number, person: SignedInPerson, client: string | null) =>
      link(parts, operator, toKnownPerson(person), client),

    /**
     * Removes a way to sign in, but not the last, and ends the sessions and grants that it opened. `excluded`: it stays while a decided
     * exclusion is in effect, so that an erasure remembers it.
     */
    async unlink(operator: number, key: string, client: string | null) {
      const all = await store.list(operator);
      const identity = all.find((each) => each.key === key);
      if (identity === undefined) return 'unknown';
      if (all.length === 1) return 'last';
      if (await isExcluded(parts, operator)) return 'excluded';
      // Once before the removal, so that no session survives a crash in between, and once after it, for a concurrent sign-in.
      await endSessionsAndGrantsOf(parts, identity);
      await removeIdentity(parts, operator, key);
      await endSessionsAndGrantsOf(parts, identity);
      // Two concurrent unlinks would leave no identity: the last one removed is restored.
      if ((await store.list(operator)).length === 0) {
        const at = new Date(clock());
        await store.insert(identity, at);
        if (identity.email !== null) await store.claimAddress(identity.email, identity, at);
        return 'last';
      }
      const { provider, label } = identity;
      await audit.record({ kind: 'identity_unlinked', operator, client, detail: { provider, label } });
      return 'unlinked';
    },

    list: (operator: number) => store.list(operator),

    /** The verified addresses of the account's identities, oldest first. */
    addressesOf: (operator: number) => store.addressesOf(operator),
  };
}

async function link(
  parts: AccountParts,
  operator: number,
  person: KnownPerson,
  client: string | null,
): Promise<'linked' | 'exists' | 'taken' | 'full'> {
  const existing = await parts.identityStore.find(person.key);
  if (existing !== null && existing.operator !== operator) return 'taken';
  // First, so that no interruption leaves the identity without the mark: a person who signed in with it has shown that it is theirs.
  await holdReturned(parts, operator, person);
  if (existing !== null) {
    await vouch(parts, person, operator);
    return 'exists';
  }
  if ((await parts.identityStore.list(operator)).length >= MAX_IDENTITIES) return 'full';
  if (!(await insertIdentity(parts, person, operator))) return 'taken';
  const vouched = await vouch(parts, person, operator);
  const { key, provider, label } = person;
  // The address of a mail link is the identity itself; the address of another provider may belong to another account.
  if (vouched === 'elsewhere' && provider === 'email_magic_link') {
    await removeIdentity(parts, operator, key);
    return 'taken';
  }
  await parts.audit.record({ kind: 'identity_linked', operator, client, detail: { provider, label } });
  return 'linked';
}

async function endSessionsAndGrantsOf({ accounts, sessions, oidc }: AccountParts, identity: Identity): Promise<void> {
  await sessions.endOpenedBy(identity);
  const account = await accounts.byOperator(identity.operator);
  if (account !== null) await oidc.revokeOpenedBy(account.subject, identity.key);
}
