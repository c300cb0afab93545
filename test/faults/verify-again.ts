import { createPublicKey, type KeyObject, verify } from 'node:crypto';
import { canonical, namedDeviceKey } from '../support/signing.ts';

const MINUTE_MS = 60_000;
const AHEAD_AT_MOST_MS = 5 * MINUTE_MS;
const OLD_AT_MOST_MS = 90 * 24 * 60 * MINUTE_MS;
const MS_PER_SECOND = 1_000;

/** An entry as the log keeps it. */
interface LoggedEntry {
  readonly _id: string;
  readonly received_at: Date;
  readonly codename: string;
  readonly counts: readonly [number, number, number, number];
  readonly platform?: string;
  readonly signature: string;
}

/** Entries never change: what was verified once need not be again. */
const verified = new Map<string, boolean>();
const keys = new Map<string, { readonly kid: string; readonly publicKey: KeyObject }>();

/**
 * Whether a logged snapshot deserves its operator's acceptance, by the published rules alone: signed by the operator's own
 * device key (here the one that bears the codename) over exactly these counts, at a time that was plausible when it came.
 */
export function isAcceptable(entry: LoggedEntry): boolean {
  const name = `${entry._id} ${entry.signature}`;
  const known = verified.get(name);
  if (known !== undefined) return known;
  const acceptable = isSignedByOwner(entry) && isTimely(entry);
  verified.set(name, acceptable);
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
    return ahead <= AHEAD_AT_MOST_MS && -ahead <= OLD_AT_MOST_MS;
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
