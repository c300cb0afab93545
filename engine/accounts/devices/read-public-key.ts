import { calculateJwkThumbprint } from 'jose';
import { isAcceptablePublicKey } from '../../contract/signing/index.ts';

/** A public key that may be enrolled. */
export interface EnrolledKey {
  readonly jwk: { readonly kty: 'OKP'; readonly crv: 'Ed25519'; readonly x: string };
  /** RFC 7638 thumbprint. */
  readonly kid: string;
}

const RAW_KEY = /^[A-Za-z0-9_-]{43}$/;

/** Reads the JWK of a key to enrol; null when it is not the public key of an acceptable Ed25519 pair. */
export async function readPublicKey(jwk: unknown): Promise<EnrolledKey | null> {
  if (typeof jwk !== 'object' || jwk === null || 'd' in jwk) return null;
  if (!('kty' in jwk && jwk.kty === 'OKP' && 'crv' in jwk && jwk.crv === 'Ed25519')) return null;
  if (!('x' in jwk && typeof jwk.x === 'string' && RAW_KEY.test(jwk.x))) return null;
  const raw = Buffer.from(jwk.x, 'base64url');
  // Unused bits in the last character would give one key two encodings, and so two thumbprints.
  if (raw.toString('base64url') !== jwk.x || !isAcceptablePublicKey(raw)) return null;
  const publicJwk = { kty: 'OKP', crv: 'Ed25519', x: jwk.x } as const;
  return { jwk: publicJwk, kid: await calculateJwkThumbprint(publicJwk) };
}
