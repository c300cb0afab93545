import { createHash, createPrivateKey, createPublicKey, type KeyObject } from 'node:crypto';

/** An operator of a measured field, as its device knows it. */
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

/** What RFC 8410 puts before the 32 bytes of an Ed25519 private key in PKCS #8. */
const PKCS8_PREFIX = Buffer.from('302e020100300506032b657004220420', 'hex');

/** The key that belongs to a codename: the same in every process, so that keys need not be handed over. */
export function benchKey(codename: string): BenchKey {
  const seed = createHash('sha256').update(`bench device key of ${codename}`).digest();
  const privateKey = createPrivateKey({ key: Buffer.concat([PKCS8_PREFIX, seed]), format: 'der', type: 'pkcs8' });
  const { x = '' } = createPublicKey(privateKey).export({ format: 'jwk' });
  const kid = createHash('sha256').update(`{"crv":"Ed25519","kty":"OKP","x":"${x}"}`).digest('base64url');
  return { kid, x, privateKey };
}
