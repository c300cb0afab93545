import { calculateJwkThumbprint } from 'jose';
import * as z from 'zod';
import { isAcceptablePublicKey } from '../../contract/signing/index.ts';

const PUBLIC_JWK = z.object({
  kty: z.literal('OKP'),
  crv: z.literal('Ed25519'),
  x: z.string().regex(/^[A-Za-z0-9_-]{43}$/),
  d: z.never().optional(),
});

/** A public key that may be enrolled; `kid` is its RFC 7638 thumbprint. */
export type EnrolledKey = NonNullable<Awaited<ReturnType<typeof readPublicKey>>>;

/** Reads the JWK of a key to enrol; null when it is not the public key of an acceptable Ed25519 pair. */
export async function readPublicKey(given: unknown) {
  const parsed = PUBLIC_JWK.safeParse(given);
  if (!parsed.success) return null;
  const { kty, crv, x } = parsed.data;
  const raw = Buffer.from(x, 'base64url');
  // Unused bits in the last character would give one key two encodings, and so two thumbprints.
  if (raw.toString('base64url') !== x || !isAcceptablePublicKey(raw)) return null;
  const jwk = { kty, crv, x };
  return { jwk, kid: await calculateJwkThumbprint(jwk) };
}
