import { MAX_IDENTITIES } from '../limits.ts';
import type { Identities, Identity, LinkOutcome, SignedInPerson, UnlinkOutcome } from '../types.ts';
import {
  type IdentitiesOptions,
  identityKey,
  insertIdentity,
  removeIdentity,
  toKnownPerson,
  vouch,
} from './known-person.ts';
import { signInPerson } from './sign-in-person.ts';

export function createIdentities(options: IdentitiesOptions): Identities {
  const { store } = options;
  return {
    signIn: (person, maker, { client, knownAddress }) =>
      signInPerson(options, { person: toKnownPerson(person), maker, client, knownAddress }),
    find: (provider, subject) => store.find(identityKey(provider, subject)),
    async accountOf(provider, subject) {
      const identity = await store.find(identityKey(provider, subject));
      return identity === null ? null : options.accounts.byOperator(identity.operator);
    },
    link: (operator, person, client) => link(options, operator, person, client),
    unlink: (operator, key, client) => unlink(options, operator, key, client),
    list: (operator) => store.list(operator),
    addressesOf: (operator) => store.addressesOf(operator),
  };
}

async function link(
  options: IdentitiesOptions,
  operator: number,
  person: SignedInPerson,
  client: string | null,
): Promise<LinkOutcome> {
  const { store, audit } = options;
  const known = toKnownPerson(person);
  const existing = await store.find(known.key);
  if (existing !== null && existing.operator !== operator) return 'taken';
  if (existing !== null) {
    await vouch(options, known, operator);
    return 'exists';
  }
  if ((await store.list(operator)).length >= MAX_IDENTITIES) return 'full';
  if (!(await insertIdentity(options, known, operator))) return 'taken';
  const vouched = await vouch(options, known, operator);
  // The address of a mail link is the identity itself; the address of another provider may belong to another account.
  if (vouched === 'elsewhere' && known.provider === 'email_magic_link') {
    await removeIdentity(options, operator, known.key);
    return 'taken';
  }
  const { provider, label } = known;
  await audit.record({ kind: 'identity_linked', operator, client, detail: { provider, label } });
  return 'linked';
}

async function unlink(
  options: IdentitiesOptions,
  operator: number,
  key: string,
  client: string | null,
): Promise<UnlinkOutcome> {
  const { store, audit, clock } = options;
  const all = await store.list(operator);
  const identity = all.find((each) => each.key === key);
  if (identity === undefined) return 'unknown';
  if (all.length === 1) return 'last';
  // Once before the removal, so that no session survives a crash in between, and once after it, for a concurrent sign-in.
  await endSessionsAndGrantsOf(options, identity);
  await removeIdentity(options, operator, key);
  await endSessionsAndGrantsOf(options, identity);
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
}

async function endSessionsAndGrantsOf(
  { accounts, sessions, oidc }: IdentitiesOptions,
  identity: Identity,
): Promise<void> {
  await sessions.endOpenedBy(identity);
  const account = await accounts.byOperator(identity.operator);
  if (account !== null) await oidc.revokeOpenedBy(account.subject, identity.key);
}
