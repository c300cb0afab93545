import { MAX_IDENTITIES } from '../limits.ts';
import type { Identities, Identity, LinkOutcome, SignedInPerson, UnlinkOutcome } from '../types.ts';
import { identityKey } from './identity-key.ts';
import { type IdentitiesOptions, insertIdentity, knownOf, removeIdentity, vouch } from './known-person.ts';
import { signInPerson } from './sign-in-person.ts';

export function createIdentities(options: IdentitiesOptions): Identities {
  const { store } = options;
  return {
    signIn: (person, maker, { client, knownAddress }) =>
      signInPerson(options, { person: knownOf(person), maker, client, knownAddress }),
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
  const known = knownOf(person);
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
  // Before the removal, so that none outlives a process that stops here; after it, for a sign-in at the same moment.
  await endOpenedBy(options, identity);
  await removeIdentity(options, operator, key);
  await endOpenedBy(options, identity);
  // Two identities unlinked at once would leave none: the last one removed comes back.
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

async function endOpenedBy({ accounts, sessions, oidc }: IdentitiesOptions, identity: Identity): Promise<void> {
  await sessions.endOpenedBy(identity);
  const account = await accounts.byOperator(identity.operator);
  if (account !== null) await oidc.revokeOpenedBy(account.subject, identity.key);
}
