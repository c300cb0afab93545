import { createPublicKey, type KeyObject, verify } from 'node:crypto';
import sodium from 'sodium-native';

const KEY_BYTES = 32;
const SIGNATURE_BYTES = 64;

/**
 * Whether an Ed25519 signature fits a message under a raw public key (base64url); false as well when there is no such key.
 *
 * node:crypto decides. libsodium is asked before it because it takes half the time, and its yes counts because it accepts
 * nothing that node:crypto refuses: the equation is the same, its rules for the encodings of points are stricter.
 */
export function verifySignature(message: Uint8Array, publicKey: string, signature: Uint8Array): boolean {
  if (signature.length !== SIGNATURE_BYTES) return false;
  const key = Buffer.from(publicKey, 'base64url');
  if (key.length !== KEY_BYTES) return false;
  return sodium.crypto_sign_verify_detached(signature, message, key) || verifyWithNodeCrypto(message, key, signature);
}

/** What node:crypto says of a signature. */
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
