import { createHmac } from 'node:crypto';
import { RETURN_HOLD_MS } from '../limits.ts';
import type { AccountParts } from '../open-parts.ts';
import type { KnownPerson } from './known-person.ts';

/**
 * Before the identities of an erased account are deleted: stores keyed hashes of them and of their addresses, if a moderator decided to
 * exclude its row and that is in effect. Nothing is stored of other accounts. Safe to repeat.
 */
export async function rememberExcluded(parts: AccountParts, operator: number): Promise<void> {
  const { models, identityStore, clock } = parts;
  if (!(await isExcluded(parts, operator))) return;
  const erasure = await models.erasures.findOne({ _id: operator }).lean();
  const expires_at = new Date((erasure?.erased_at.getTime() ?? clock()) + RETURN_HOLD_MS);
  const identities = await identityStore.list(operator);
  const addresses = [...identities.map(({ email }) => email), ...(await identityStore.addressesOf(operator))];
  const hashes = await Promise.all([
    ...identities.map(({ key }) => hashOf(parts, key)),
    ...addresses.flatMap((address) => (address === null ? [] : [hashOf(parts, addressKey(address))])),
  ]);
  for (const _id of new Set(hashes)) {
    await models.excludedIdentities.updateOne({ _id }, { $max: { expires_at } }, { upsert: true });
  }
}

/** Whether a moderator decided to exclude an operator's row, and that is in effect. */
export async function isExcluded({ caseStore }: AccountParts, operator: number): Promise<boolean> {
  const cases = await caseStore.ofOperator(operator);
  return cases.some(({ pending, state }) => pending?.action === 'exclude' || state === 'confirmed');
}

/** Marks the account of a person whose identity or address is remembered as held until that ends. */
export async function holdReturned(parts: AccountParts, operator: number, person: KnownPerson): Promise<void> {
  const { key, address } = person;
  const keys = address === null ? [key] : [key, addressKey(address)];
  const _id = { $in: await Promise.all(keys.map((each) => hashOf(parts, each))) };
  const kept = { _id, expires_at: { $gt: new Date(parts.clock()) } };
  const last = await parts.models.excludedIdentities.findOne(kept).sort({ expires_at: -1 }).lean();
  if (last !== null) await parts.accounts.hold(operator, last.expires_at);
}

/** Keys of identities begin with the name of a provider. */
const addressKey = (address: string): string => `address:${address}`;

async function hashOf({ shared }: AccountParts, key: string): Promise<string> {
  const secret = await shared.secret('excluded-identities');
  return createHmac('sha256', secret).update(key).digest('base64url');
}
