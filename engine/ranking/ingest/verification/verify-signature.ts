import { createPublicKey, type KeyObject, verify } from 'node:crypto';
import sodium from 'sodium-native';

const KEY_BYTES = 32;
const SIGNATURE_BYTES = 64;

/**
 * Verifies an Ed25519 signature under a raw public key (base64url); false also for an invalid key.
 *
 * node:crypto is authoritative. libsodium runs first because it takes half the time. Its acceptance is final: it checks the
 * same equation with stricter rules for point encodings, so it accepts nothing that node:crypto rejects.
 */
export function verifySignature(message: Uint8Array, publicKey: string, signature: Uint8Array): boolean {
  if (signature.length !== SIGNATURE_BYTES) return false;
  const key = Buffer.from(publicKey, 'base64url');
  if (key.length !== KEY_BYTES) return false;
  return sodium.crypto_sign_verify_detached(signature, message, key) || verifyWithNodeCrypto(message, key, signature);
}

function verifyWithNodeCrypto(message: Uint8Array, key: Buffer, signature: Uint8Array): boolean {
  const keyObject = importKey(key);
  return keyObject !== null && verify(null, message, keyObject, signature);
}

function importKey(key: Buffer): KeyObject | null {
  try {
    return createPublicKey({ key: { kty: 'OKP', crv: 'Ed25519', x: key.toString('base64url') }, format: 'jwk' });
  } catch {
    return null;
  }
}
