import { createHash, createPrivateKey, createPublicKey, type KeyObject, sign } from 'node:crypto';
import { MS_PER_SECOND } from '../../../config/units.ts';
import { canonicalPayload, signingInput } from '../../../engine/contract/signing/index.ts';

/** An operator of the measured population with its access token. */
export interface BenchOperator {
  readonly number: number;
  readonly codename: string;
  readonly token: string;
}

/** The device key of a measured operator. */
interface BenchKey {
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

/** A submission as an HTTP request, and the input for verifying its signature. */
export interface SignedRequest {
  /** The complete HTTP request. */
  readonly bytes: Buffer;
  readonly signed: Buffer;
  readonly signature: Buffer;
  readonly key: BenchKey;
}

/**
 * Signs submissions of operators, each with higher counts than the one before it, so that every one changes the
 * board.
 */
export class RequestMaker {
  readonly #address: URL;
  readonly #keys = new Map<string, BenchKey>();
  #made = 0;

  constructor(baseUrl: string) {
    this.#address = new URL(`${baseUrl}/snapshots`);
  }

  next({ codename, token }: BenchOperator): SignedRequest {
    const key = this.#keyOf(codename);
    const at = ++this.#made;
    const counts = {
      input: 2_000 + (at % 13),
      output: 100_000 + at * 3,
      cache_read: 2_000_000 + at,
      cache_write: 20_000 + at,
    };
    const payload = { codename, ...counts, platform: 'claude-code' };
    const iat = Math.floor(Date.now() / MS_PER_SECOND);
    const header = {
      alg: 'EdDSA',
      typ: 'snapshot+jws',
      kid: key.kid,
      jti: `bench-${at.toString(36).padStart(8, '0')}`,
      iat,
    };
    const protectedHeader = Buffer.from(JSON.stringify({ ...header, cli: '0.1.0' })).toString('base64url');
    const signed = signingInput(protectedHeader, canonicalPayload(payload));
    const signature = sign(null, signed, key.privateKey);
    const body = JSON.stringify({ ...payload, signature: `${protectedHeader}..${signature.toString('base64url')}` });
    const head =
      `POST ${this.#address.pathname} HTTP/1.1\r\nHost: ${this.#address.host}\r\nAuthorization: Bearer ${token}\r\n` +
      `User-Agent: upsilon-bench\r\nAccept: application/json\r\nContent-Type: application/json\r\n` +
      `Content-Length: ${Buffer.byteLength(body)}\r\n\r\n`;
    return { bytes: Buffer.from(head + body, 'latin1'), signed, signature, key };
  }

  /** Requests a snapshot that does not exist: the api's work for it is to verify the token. */
  unknownSnapshot(token: string): Buffer {
    const { pathname, host } = this.#address;
    const head = `GET ${pathname}/never-submitted HTTP/1.1\r\nHost: ${host}\r\nAuthorization: Bearer ${token}\r\n\r\n`;
    return Buffer.from(head, 'latin1');
  }

  #keyOf(codename: string): BenchKey {
    const known = this.#keys.get(codename) ?? benchKey(codename);
    this.#keys.set(codename, known);
    return known;
  }
}
