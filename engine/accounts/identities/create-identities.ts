import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { MAX_IDENTITIES } from '../limits.ts';
import type { AccountStore } from '../mongo/account-store.ts';
import type { IdentityStore } from '../mongo/identity-store.ts';
import type { SharedStore } from '../mongo/shared-store.ts';
import type {
  Account,
  AuditLog,
  Clock,
  Identities,
  LinkOutcome,
  OperatorMaker,
  SignedInPerson,
  SignInOutcome,
} from '../types.ts';
import { canonicalAddress } from './canonical-address.ts';
import { identityKey } from './identity-key.ts';

/** How long the process that makes an account keeps others from making another, in milliseconds. */
const SIGN_UP_HOLD_MS = 10_000;

/** Wait before looking again whether another process has made the account, in milliseconds. */
const SIGN_UP_LOOK_MS = 25;

/** Looks before giving up. */
const MAX_LOOKS = 800;

export interface IdentitiesOptions {
  readonly accounts: AccountStore;
  readonly store: IdentityStore;
  readonly shared: SharedStore;
  readonly audit: AuditLog;
  readonly clock: Clock;
  readonly createAccount: (operator: number) => Promise<Account>;
}

/** A person as the store knows one. */
interface Known extends SignedInPerson {
  readonly key: string;
  readonly address: string | null;
}

export function createIdentities(options: IdentitiesOptions): Identities {
  const { store, audit, clock } = options;

  async function link(operator: number, person: SignedInPerson, client: string | null): Promise<LinkOutcome> {
    const known = knownOf(person);
    const existing = await store.find(known.key);
    if (existing !== null) return existing.operator === operator ? 'exists' : 'taken';
    if ((await store.list(operator)).length >= MAX_IDENTITIES) return 'full';
    // The address of a mail link is the identity itself; that of another provider is a help and may be somebody else's.
    const owner = known.address === null ? null : await store.ownerOf(known.address);
    const claims = known.address !== null && (owner === null || owner === operator);
    if (known.provider === 'email_magic_link' && !claims) return 'taken';
    if (claims && owner === null) await claim(options, known, operator);
    const added = await attach(options, known, operator, client);
    return added ? 'linked' : 'taken';
  }

  return {
    signIn: (person, maker, client) => signIn(options, knownOf(person), maker, client),
    async accountOf(provider, subject) {
      const identity = await store.find(identityKey(provider, subject));
      return identity === null ? null : options.accounts.byOperator(identity.operator);
    },
    link,
    list: (operator) => store.list(operator),
    addressesOf: (operator) => store.addressesOf(operator),
    async unlink(operator, key, client) {
      const all = await store.list(operator);
      const identity = all.find((each) => each.key === key);
      if (identity === undefined) return 'unknown';
      const others = all.filter((each) => each.key !== key);
      if (others.length === 0) return 'last';
      await store.remove(operator, key);
      // An address that no remaining identity vouches for would still let its holder in.
      const { email, provider, label } = identity;
      if (email !== null && others.every((each) => each.email !== email)) await store.releaseAddress(email, operator);
      // Two identities unlinked at once would leave none: the last one removed comes back.
      if ((await store.list(operator)).length === 0) {
        await store.insert(identity, new Date(clock()));
        if (email !== null) await store.claimAddress(email, operator, new Date(clock()));
        return 'last';
      }
      await audit.record({ kind: 'identity_unlinked', operator, client, detail: { provider, label } });
      return 'unlinked';
    },
  };
}

async function signIn(
  options: IdentitiesOptions,
  person: Known,
  maker: OperatorMaker,
  client: string | null,
): Promise<SignInOutcome> {
  const holder = randomUUID();
  // Everybody who could be the same person waits at the same place.
  const place = person.address === null ? person.key : `address:${person.address}`;
  for (let look = 0; look < MAX_LOOKS; look += 1) {
    const known = await findAccount(options, person, client);
    if (known !== null) return admit(options, person, known, client, false);
    const now = options.clock();
    if (await options.shared.hold(place, holder, new Date(now), new Date(now + SIGN_UP_HOLD_MS))) {
      try {
        const made = (await findAccount(options, person, client)) ?? (await make(options, person, maker, client));
        if (made !== null) return await admit(options, person, made, client, true);
      } finally {
        await options.shared.release(place, holder);
      }
    }
    await sleep(SIGN_UP_LOOK_MS);
  }
  throw new Error('another process did not finish making the account');
}

/** By identity, or by a verified address that joins this identity to its account. */
async function findAccount(options: IdentitiesOptions, person: Known, client: string | null): Promise<Account | null> {
  const { store, accounts } = options;
  const identity = await store.find(person.key);
  if (identity !== null) {
    const account = await accounts.byOperator(identity.operator);
    // What an erasure has left for a moment is nobody's.
    if (account === null) await store.remove(identity.operator, person.key);
    return account;
  }
  const owner = person.address === null ? null : await store.ownerOf(person.address);
  if (owner === null || person.address === null) return null;
  const account = await accounts.byOperator(owner);
  if (account === null) await store.releaseAddress(person.address, owner);
  else await attach(options, person, owner, client);
  return account;
}

/** A new account; null when somebody else's turned out to be there first. */
async function make(
  options: IdentitiesOptions,
  person: Known,
  maker: OperatorMaker,
  client: string | null,
): Promise<Account | null> {
  const operator = await maker.make();
  const account = await options.createAccount(operator);
  const claimed = person.address === null || (await claim(options, person, operator));
  const kept = claimed && (await insertIdentity(options, person, operator));
  if (!kept) {
    await options.store.eraseOf(operator);
    await options.accounts.remove(operator);
    await maker.discard(operator);
    return null;
  }
  const { provider, label } = person;
  await options.audit.record({ kind: 'operator_created', operator, client, detail: { provider, label } });
  return account;
}

async function admit(
  { store, audit, clock }: IdentitiesOptions,
  person: Known,
  account: Account,
  client: string | null,
  created: boolean,
): Promise<SignInOutcome> {
  const { provider, label, address, key } = person;
  const { operator, suspended } = account;
  if (suspended) {
    const detail = { provider, reason: 'suspended' };
    await audit.record({ kind: 'sign_in_refused', operator, client, detail });
    return { kind: 'suspended' };
  }
  const at = new Date(clock());
  await store.touch(key, { label, email: address }, at);
  if (address !== null) await store.claimAddress(address, operator, at);
  await audit.record({ kind: 'signed_in', operator, client, detail: { provider } });
  return { kind: 'signed_in', account, created };
}

async function attach(
  options: IdentitiesOptions,
  person: Known,
  operator: number,
  client: string | null,
): Promise<boolean> {
  if (!(await insertIdentity(options, person, operator))) return false;
  const { provider, label } = person;
  await options.audit.record({ kind: 'identity_linked', operator, client, detail: { provider, label } });
  return true;
}

function insertIdentity({ store, clock }: IdentitiesOptions, person: Known, operator: number): Promise<boolean> {
  const { key, provider, label, address } = person;
  return store.insert({ key, operator, provider, label, email: address }, new Date(clock()));
}

async function claim({ store, clock }: IdentitiesOptions, { address }: Known, operator: number): Promise<boolean> {
  return address === null || store.claimAddress(address, operator, new Date(clock()));
}

function knownOf(person: SignedInPerson): Known {
  const address = person.verifiedEmail === null ? null : canonicalAddress(person.verifiedEmail);
  return { ...person, key: identityKey(person.provider, person.subject), address };
}
