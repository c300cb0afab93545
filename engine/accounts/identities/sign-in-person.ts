import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Account, AddressPolicy, OperatorMaker, SignInOutcome } from '../types.ts';
import { type IdentitiesOptions, insertIdentity, type Known, removeIdentity, vouch } from './known-person.ts';

/** How long the process that makes an account keeps others from making another, in milliseconds. */
const SIGN_UP_HOLD_MS = 10_000;

/** Wait before looking again whether another process has made the account, in milliseconds. */
const SIGN_UP_LOOK_MS = 25;

/** Looks before giving up. */
const MAX_LOOKS = 800;

/** How a person comes into an account: by a known identity, by a proved address, or as its first. */
interface Found {
  readonly kind: 'account';
  readonly account: Account;
  readonly by: 'identity' | 'address' | 'creation';
}

type AddressKnown = Extract<SignInOutcome, { kind: 'address_known' }>;

/** What one sign-in works with. */
interface Attempt {
  readonly person: Known;
  readonly maker: OperatorMaker;
  readonly client: string | null;
  readonly knownAddress: AddressPolicy;
}

export async function signInPerson(options: IdentitiesOptions, attempt: Attempt): Promise<SignInOutcome> {
  const { person } = attempt;
  const holder = randomUUID();
  // Sign-ins that could be of the same person take the same lock.
  const place = person.address === null ? person.key : `address:${person.address}`;
  for (let look = 0; look < MAX_LOOKS; look += 1) {
    const known = await findAccount(options, attempt);
    if (known !== null) {
      const outcome = await enter(options, attempt, known);
      if (outcome !== null) return outcome;
    }
    const now = options.clock();
    if (await options.shared.hold(place, holder, new Date(now), new Date(now + SIGN_UP_HOLD_MS))) {
      try {
        const found = (await findAccount(options, attempt)) ?? (await make(options, attempt));
        const outcome = found === null ? null : await enter(options, attempt, found);
        if (outcome !== null) return outcome;
      } finally {
        await options.shared.release(place, holder);
      }
    }
    await sleep(SIGN_UP_LOOK_MS);
  }
  throw new Error('another process did not finish making the account');
}

/** By identity, or by a verified address as far as the policy lets it. */
async function findAccount(
  options: IdentitiesOptions,
  { person: { key, address }, knownAddress }: Attempt,
): Promise<Found | AddressKnown | null> {
  const { store, accounts } = options;
  const identity = await store.find(key);
  if (identity !== null) {
    const account = await accounts.byOperator(identity.operator);
    if (account !== null) return { kind: 'account', account, by: 'identity' };
    // An account in the middle of an erasure leaves records without an owner for a moment.
    await removeIdentity(options, identity.operator, key);
  }
  if (address === null || knownAddress === 'separate') return null;
  const owner = await store.ownerOf(address);
  if (owner === null) return null;
  const account = await accounts.byOperator(owner);
  if (account === null) {
    await store.releaseAddress(address, owner);
    return null;
  }
  return knownAddress === 'ask' ? { kind: 'address_known', address } : { kind: 'account', account, by: 'address' };
}

/** A new account; null when the identity or its address has one by now. */
async function make(
  options: IdentitiesOptions,
  { person, maker, client, knownAddress }: Attempt,
): Promise<Found | null> {
  const operator = await maker.make();
  const account = await options.createAccount(operator);
  const inserted = await insertIdentity(options, person, operator);
  const vouched = inserted ? await vouch(options, person, operator) : 'gone';
  if (vouched !== 'vouched' && !(vouched === 'elsewhere' && knownAddress === 'separate')) {
    await options.store.eraseOf(operator);
    await options.accounts.remove(operator);
    await maker.discard(operator);
    return null;
  }
  const { provider, label } = person;
  await options.audit.record({ kind: 'operator_created', operator, client, detail: { provider, label } });
  return { kind: 'account', account, by: 'creation' };
}

/** Signs a person in; null when the account found has changed meanwhile and has to be looked up again. */
async function enter(
  options: IdentitiesOptions,
  { person, client }: Attempt,
  found: Found | AddressKnown,
): Promise<SignInOutcome | null> {
  if (found.kind === 'address_known') return found;
  const { audit } = options;
  const { account, by } = found;
  const { operator, suspended } = account;
  const { provider, label } = person;
  if (suspended) {
    const detail = { provider, reason: 'suspended' };
    await audit.record({ kind: 'sign_in_refused', operator, client, detail });
    return { kind: 'suspended' };
  }
  if (by === 'address' && !(await join(options, person, operator))) return null;
  if (by === 'identity' && (await vouch(options, person, operator)) === 'gone') return null;
  const attached = by === 'address';
  if (attached) await audit.record({ kind: 'identity_linked', operator, client, detail: { provider, label } });
  await audit.record({ kind: 'signed_in', operator, client, detail: { provider } });
  return { kind: 'signed_in', account, identity: person.key, created: by === 'creation', attached };
}

/** Adds an identity to the account that has its address; false when either belongs elsewhere by now. */
async function join(options: IdentitiesOptions, person: Known, operator: number): Promise<boolean> {
  if (!(await insertIdentity(options, person, operator))) return false;
  const vouched = await vouch(options, person, operator, { joins: true });
  if (vouched === 'elsewhere') await removeIdentity(options, operator, person.key);
  return vouched === 'vouched';
}
