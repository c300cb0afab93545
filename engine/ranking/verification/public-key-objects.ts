import { createPublicKey, type KeyObject } from 'node:crypto';

/** Imported keys that are kept, about 1.2 kB each: importing one costs about a tenth of verifying with it. */
const MAX_KEPT_KEYS = 8_192;

const kept = new Map<string, KeyObject>();

/**
 * The key object of a raw Ed25519 public key (base64url); null when the text is no such key. What it answers depends on
 * its argument alone; the objects it keeps, least recently used first out, only save time.
 */
export function publicKeyObject(publicKey: string): KeyObject | null {
  const known = kept.get(publicKey);
  if (known !== undefined) {
    kept.delete(publicKey);
    kept.set(publicKey, known);
    return known;
  }
  const imported = importKey(publicKey);
  if (imported === null) return null;
  if (kept.size >= MAX_KEPT_KEYS) {
    const [oldest] = kept.keys();
    if (oldest !== undefined) kept.delete(oldest);
  }
  kept.set(publicKey, imported);
  return imported;
}

function importKey(publicKey: string): KeyObject | null {
  try {
    return createPublicKey({ key: { kty: 'OKP', crv: 'Ed25519', x: publicKey }, format: 'jwk' });
  } catch {
    return null;
  }
}
