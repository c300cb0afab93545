import { createHash, createPrivateKey, createPublicKey, type KeyObject } from 'node:crypto';

/** An operator of the measured population with its access token. */
export interface BenchOperator {
  readonly number: number;
  readonly codename: string;
  readonly token: string;
}

/** The device key of a measured operator. */
export interface BenchKey {
  readonly kid: string;
  /** Raw public key, base64url. */
  readonly x: string;
  readonly privateKey: KeyObject;
}

/** DER prefix of an Ed25519 private key in PKCS #8 (RFC 8410). */
const PKCS8_PREFIX = Buffer.from('302e020100300506032b657004220420', 'hex');

/** The device key of a codename, derived from it, so that processes need not exchange keys. */
export function benchKey(codename: string): BenchKey {
  const seed = createHash('sha256').update(`bench device key of ${codename}`).digest();
  const privateKey = createPrivateKey({ key: Buffer.concat([PKCS8_PREFIX, seed]), format: 'der', type: 'pkcs8' });
  const { x = '' } = createPublicKey(privateKey).export({ format: 'jwk' });
  const kid = createHash('sha256').update(`{"crv":"Ed25519","kty":"OKP","x":"${x}"}`).digest('base64url');
  return { kid, x, privateKey };
}
