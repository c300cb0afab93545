import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { FREE_PLAN } from '../mongo/account-store.ts';
import type { AccountParts } from '../open-parts.ts';
import { insertIdentity, type KnownPerson, removeIdentity, vouch } from './known-person.ts';
import { holdReturned } from './returns.ts';

/** Lease of the lock under which an account is created, in milliseconds. */
const SIGN_UP_LOCK_MS = 10_000;

/** Interval of checks for an account that another process is creating, in milliseconds. */
const SIGN_UP_POLL_MS = 25;

/** Checks before the sign-in fails: 20 s. */
const MAX_POLLS = 800;

/** Creates operators in the ranking engine. */
export interface OperatorMaker {
  /** Creates an operator under a new codename; returns its sequence number. */
  make(): Promise<number>;
  /** Deletes an operator that lost a race and was never visible. */
  discard(operator: number): Promise<void>;
}

/** For a new identity with an account's address: `ask` the person to follow a mailed link, or `join`: it was followed. */
export type AddressPolicy = 'ask' | 'join';

/**
 * The account of a person, and how it was found: by a known identity, by a verified address, or created now; or the address, in
 * canonical form, of an account without this identity.
 */
type Found = NonNullable<Awaited<ReturnType<typeof findAccount | typeof createForPerson>>>;

export interface Attempt {
  readonly person: KnownPerson;
  readonly maker: OperatorMaker;
  readonly client: string | null;
  readonly knownAddress: AddressPolicy;
}

export async function signInPerson(parts: AccountParts, attempt: Attempt) {
  const { person } = attempt;
  const holder = randomUUID();
  // Sign-ins that may be of the same person take the same lock.
  const lockId = person.address === null ? person.key : `address:${person.address}`;
  for (let poll = 0; poll < MAX_POLLS; poll += 1) {
    const known = await findAccount(parts, attempt);
    if (known !== null) {
      const outcome = await completeSignIn(parts, attempt, known);
      if (outcome !== null) return outcome;
    }
    const now = parts.clock();
    if (await parts.shared.acquireLock(lockId, holder, new Date(now), new Date(now + SIGN_UP_LOCK_MS))) {
      try {
        const found = (await findAccount(parts, attempt)) ?? (await createForPerson(parts, attempt));
        const outcome = found === null ? null : await completeSignIn(parts, attempt, found);
        if (outcome !== null) return outcome;
      } finally {
        await parts.shared.releaseLock(lockId, holder);
      }
    }
    await sleep(SIGN_UP_POLL_MS);
  }
  throw new Error('another process did not finish creating the account');
}

/** Finds the account by identity, or by verified address as far as the policy allows. */
async function findAccount(parts: AccountParts, { person: { key, address }, knownAddress }: Attempt) {
  const { identityStore: store, accounts } = parts;
  const identity = await store.find(key);
  if (identity !== null) {
    const account = await accounts.byOperator(identity.operator);
    if (account !== null) return { kind: 'account', account, by: 'identity' } as const;
    // During an erasure, identities exist for a moment without their account.
    await removeIdentity(parts, identity.operator, key);
  }
  if (address === null) return null;
  const owner = await store.ownerOf(address);
  if (owner === null) return null;
  const account = await accounts.byOperator(owner);
  if (account === null) {
    await store.releaseAddress(address, owner);
    return null;
  }
  if (knownAddress === 'ask') return { kind: 'address_known', address } as const;
  return { kind: 'account', account, by: 'address' } as const;
}

/** Creates an account; null when the identity or its address belongs to an account by now. */
async function createForPerson(parts: AccountParts, { person, maker, client }: Attempt) {
  const operator = await maker.make();
  const account = await parts.accounts.create(operator, FREE_PLAN, parts.clock());
  const inserted = await insertIdentity(parts, person, operator);
  const vouched = inserted ? await vouch(parts, person, operator) : 'gone';
  if (vouched !== 'vouched') {
    await parts.identityStore.eraseOf(operator);
    await parts.accounts.remove(operator);
    await maker.discard(operator);
    return null;
  }
  const { provider, label } = person;
  await parts.audit.record({ kind: 'operator_created', operator, client, detail: { provider, label } });
  return { kind: 'account', account, by: 'creation' } as const;
}

/** Signs a person in; null when the account has changed since it was found and must be looked up again. */
async function completeSignIn(parts: AccountParts, { person, client }: Attempt, found: Found) {
  if (found.kind === 'address_known') return found;
  const { audit } = parts;
  const { account, by } = found;
  const { operator, suspended } = account;
  const { provider, label } = person;
  if (suspended) {
    const detail = { provider, reason: 'suspended' };
    await audit.record({ kind: 'sign_in_refused', operator, client, detail });
    return { kind: 'suspended' } as const;
  }
  await holdReturned(parts, operator, person);
  if (by === 'address' && !(await joinByAddress(parts, person, operator))) return null;
  if (by === 'identity' && (await vouch(parts, person, operator)) === 'gone') return null;
  const attached = by === 'address';
  if (attached) await audit.record({ kind: 'identity_linked', operator, client, detail: { provider, label } });
  await audit.record({ kind: 'signed_in', operator, client, detail: { provider } });
  return {
    kind: 'signed_in',
    account,
    /** The key of the identity that signed in. */
    identity: person.key,
    created: by === 'creation',
    /** Whether this sign-in added the identity to the account. */
    attached,
  } as const;
}

/** Adds an identity to the account that owns its address; false when either belongs to another account by now. */
async function joinByAddress(parts: AccountParts, person: KnownPerson, operator: number): Promise<boolean> {
  if (!(await insertIdentity(parts, person, operator))) return false;
  const vouched = await vouch(parts, person, operator, { joins: true });
  if (vouched === 'elsewhere') await removeIdentity(parts, operator, person.key);
  return vouched === 'vouched';
}
