import { createPrivateKey, hkdfSync, type KeyObject } from 'node:crypto';

/** PKCS #8 of an Ed25519 private key (RFC 8410, section 7) up to its 32 bytes. */
const PKCS8_HEAD = Buffer.from('302e020100300506032b657004220420', 'hex');

const KEY_BYTES = 32;

/**
 * The device key of an automation token: HKDF-SHA256 (RFC 5869) of the token's text, without salt. The service enrols its public
 * half when it makes the token, so a machine needs this one secret to submit, and revoking the token revokes the key.
 */
export function automationKey(token: string): KeyObject {
  const seed = Buffer.from(hkdfSync('sha256', token, '', 'upsilon automation key', KEY_BYTES));
  return createPrivateKey({ key: Buffer.concat([PKCS8_HEAD, seed]), format: 'der', type: 'pkcs8' });
}
