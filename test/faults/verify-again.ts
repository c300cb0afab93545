import { createPublicKey, type KeyObject, verify } from 'node:crypto';
import { MINUTE_MS, MS_PER_SECOND } from '../../config/units.ts';
import { canonical, namedDeviceKey } from '../support/signing.ts';

const MAX_AHEAD_MS = 5 * MINUTE_MS;
const MAX_AGE_MS = 90 * 24 * 60 * MINUTE_MS;

/** An entry as stored in the log. */
export interface LoggedEntry {
  readonly _id: string;
  readonly received_at: Date;
  readonly codename: string;
  readonly counts: readonly [number, number, number, number];
  readonly platform?: string;
  readonly signature: string;
}

/** Results by entry: entries are immutable. */
const verified = new Map<string, boolean>();
const keys = new Map<string, { readonly kid: string; readonly publicKey: KeyObject }>();

/**
 * Whether a logged snapshot must be accepted by the published rules: signed with the operator's device key (derived from the
 * codename here) over exactly these counts, at a time within the limits when it was received.
 */
export function isAcceptable(entry: LoggedEntry): boolean {
  const key = `${entry._id} ${entry.signature}`;
  const known = verified.get(key);
  if (known !== undefined) return known;
  const acceptable = isSignedByOwner(entry) && isTimely(entry);
  verified.set(key, acceptable);
  return acceptable;
}

function isSignedByOwner({ codename, counts, platform, signature }: LoggedEntry): boolean {
  const [header = '', , mac = ''] = signature.split('.');
  const [input, output, cache_read, cache_write] = counts;
  const base = { codename, input, output, cache_read, cache_write };
  const payload = Buffer.from(canonical(platform === undefined ? base : { ...base, platform })).toString('base64url');
  const { kid, publicKey } = keyOf(codename);
  const isOwn = headerOf(header).kid === kid;
  return isOwn && verify(null, Buffer.from(`${header}.${payload}`), publicKey, Buffer.from(mac, 'base64url'));
}

function isTimely({ received_at, signature }: LoggedEntry): boolean {
  const { iat, as_of = iat } = headerOf(signature.split('.')[0] ?? '');
  const received = received_at.getTime();
  return [iat, as_of].every((at) => {
    const ahead = at * MS_PER_SECOND - received;
    return ahead <= MAX_AHEAD_MS && -ahead <= MAX_AGE_MS;
  });
}

function headerOf(text: string): { readonly kid: string; readonly iat: number; readonly as_of?: number } {
  return JSON.parse(Buffer.from(text, 'base64url').toString('utf8'));
}

function keyOf(codename: string): { readonly kid: string; readonly publicKey: KeyObject } {
  const known = keys.get(codename);
  if (known !== undefined) return known;
  const { kid, jwk } = namedDeviceKey(codename);
  const key = { kid, publicKey: createPublicKey({ key: jwk, format: 'jwk' }) };
  keys.set(codename, key);
  return key;
}
