import { createHash, createPrivateKey, createPublicKey, type KeyObject, randomBytes, sign } from 'node:crypto';
import canonicalize from 'canonicalize';

/**
 * Device keys, signed snapshots and device proofs for tests, built from the published layout alone: nothing of the
 * engine is used, so that a mistake in the engine's own layout cannot hide behind the same mistake here.
 */
export interface TestDeviceKey {
  readonly seed: Buffer;
  /** RFC 7638 thumbprint. */
  readonly kid: string;
  /** The raw public key, base64url. */
  readonly x: string;
  readonly jwk: { readonly kty: 'OKP'; readonly crv: 'Ed25519'; readonly x: string };
  readonly privateKey: KeyObject;
}

export interface TestPayload {
  readonly codename: string;
  readonly input: number;
  readonly output: number;
  readonly cache_read: number;
  readonly cache_write: number;
  readonly platform?: string;
}

/** Header members of a test snapshot; times in whole seconds. Members given here replace or add to the usual ones. */
export interface TestHeader {
  readonly jti?: string;
  readonly iat: number;
  readonly [member: string]: unknown;
}

/** DER prefix of an Ed25519 private key in PKCS #8 (RFC 8410). */
const PKCS8_PREFIX = Buffer.from('302e020100300506032b657004220420', 'hex');

/** A device key from a 32-byte seed, random unless given. */
export function makeDeviceKey(seed: Buffer = randomBytes(32)): TestDeviceKey {
  const privateKey = createPrivateKey({ key: Buffer.concat([PKCS8_PREFIX, seed]), format: 'der', type: 'pkcs8' });
  const { x } = createPublicKey(privateKey).export({ format: 'jwk' });
  if (x === undefined) throw new Error('the exported public key has no x');
  return { seed, kid: thumbprintOf(x), x, jwk: { kty: 'OKP', crv: 'Ed25519', x }, privateKey };
}

/** The same key for the same name, always: for vectors and seeded runs. */
export function namedDeviceKey(name: string): TestDeviceKey {
  const known = namedKeys.get(name);
  if (known !== undefined) return known;
  const key = makeDeviceKey(createHash('sha256').update(`test device key ${name}`).digest());
  namedKeys.set(name, key);
  return key;
}

/** Deriving a key takes longer than signing with it. */
const namedKeys = new Map<string, TestDeviceKey>();

export function thumbprintOf(x: string): string {
  return createHash('sha256')
    .update(canonical({ crv: 'Ed25519', kty: 'OKP', x }))
    .digest('base64url');
}

/** RFC 8785 canonical JSON, by a library that shares no code with the engine. */
export function canonical(value: unknown): string {
  const text = canonicalize(value);
  if (text === undefined) throw new Error('the value has no JSON');
  return text;
}

/** The detached compact JWS over `payload` with exactly this protected header text. */
export function signDetached(key: TestDeviceKey, headerText: string, payloadText: string): string {
  const header = base64url(headerText);
  const signature = sign(null, Buffer.from(`${header}.${base64url(payloadText)}`), key.privateKey);
  return `${header}..${signature.toString('base64url')}`;
}

/** The `signature` of a snapshot of these counts. */
export function signSnapshot(key: TestDeviceKey, payload: TestPayload, header: TestHeader): string {
  return signDetached(key, JSON.stringify(snapshotHeader(key, header)), canonical(payload));
}

/** The protected header of a snapshot: the usual members, then what the caller gives. */
export function snapshotHeader(key: TestDeviceKey, header: TestHeader): Record<string, unknown> {
  const jti = header.jti ?? randomBytes(12).toString('base64url');
  return { alg: 'EdDSA', typ: 'snapshot+jws', kid: key.kid, ...header, jti };
}

/** A whole request body: the payload and its signature. */
export function makeSubmission(
  key: TestDeviceKey,
  payload: TestPayload,
  header: TestHeader,
): TestPayload & { readonly signature: string } {
  return { ...payload, signature: signSnapshot(key, payload, header) };
}

/** The proof that a device holds the key it enrols; `iat` in whole seconds. `header` replaces or adds members. */
export function makeDeviceProof(
  key: TestDeviceKey,
  claims: { readonly codename: string; readonly iat: number },
  header: Readonly<Record<string, unknown>> = {},
): string {
  const protectedHeader = base64url(JSON.stringify({ alg: 'EdDSA', typ: 'device-proof+jws', ...header }));
  const signed = `${protectedHeader}.${base64url(JSON.stringify(claims))}`;
  return `${signed}.${sign(null, Buffer.from(signed), key.privateKey).toString('base64url')}`;
}

export function base64url(text: string): string {
  return Buffer.from(text, 'utf8').toString('base64url');
}
