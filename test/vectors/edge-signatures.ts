import { createHash } from 'node:crypto';
import type { TestDeviceKey } from '../support/signing.ts';
import {
  add,
  BASE,
  decodePoint,
  encodePoint,
  fromLittleEndian,
  GROUP_ORDER,
  IDENTITY,
  multiply,
  negate,
  TORSION,
  toLittleEndian,
} from './ed25519-points.ts';

/** Encodings of R that are no honest commitment, little-endian hex. */
export const EDGE_R = {
  identity: `01${'00'.repeat(31)}`,
  identityNotReduced: `ee${'ff'.repeat(30)}7f`,
  identityMinusZero: `01${'00'.repeat(30)}80`,
  orderTwo: `ec${'ff'.repeat(30)}7f`,
  orderEight: 'c7176a703d4dd84fba3c0b760d10670f2a2053fa2c39ccc64ec7fd7792ac037a',
} as const;

/** A signature (R, S + n·L): the same equation holds for every n, and RFC 8032 asks for S below L. */
export function withLargerS(signature: Buffer, multiples: bigint): Buffer {
  const s = fromLittleEndian(signature.subarray(32)) + multiples * GROUP_ORDER;
  return Buffer.concat([signature.subarray(0, 32), toLittleEndian(s)]);
}

/**
 * The signature of `message` whose commitment is the given encoding of a small-order point: S = k·a, so S·B − k·A is the
 * identity. It fits where R is the identity, and for other points only under a verifier that multiplies by the cofactor.
 */
export function signWithSmallOrderR(key: TestDeviceKey, encodedR: string, message: Buffer): Buffer {
  const r = Buffer.from(encodedR, 'hex');
  return Buffer.concat([r, toLittleEndian((challenge(key, r, message) * secretScalar(key)) % GROUP_ORDER)]);
}

/**
 * The signature of `message` whose commitment is R = r·B + T, T of the given order: S = r + k·a, so S·B − k·A − R is −T.
 * Only where T is the identity does it fit without the cofactor; with the cofactor it fits for every T.
 */
export function signWithTorsionInR(key: TestDeviceKey, order: 1 | 2 | 4 | 8, message: Buffer): Buffer {
  const r = fromLittleEndian(sha512(key.seed, message)) % GROUP_ORDER;
  const encodedR = encodePoint(add(multiply(r, BASE), TORSION[order]));
  const s = (r + challenge(key, encodedR, message) * secretScalar(key)) % GROUP_ORDER;
  return Buffer.concat([encodedR, toLittleEndian(s)]);
}

/** Whether a verifier that multiplies by the cofactor would accept: 8·(S·B − k·A − R) is the identity. */
export function verifyWithCofactor(key: TestDeviceKey, signature: Buffer, message: Buffer): boolean {
  const encodedR = signature.subarray(0, 32);
  const k = challenge(key, encodedR, message);
  const kA = multiply(k, decodePoint(Buffer.from(key.x, 'base64url')));
  const rest = add(multiply(fromLittleEndian(signature.subarray(32)), BASE), negate(add(kA, decodePoint(encodedR))));
  return encodePoint(multiply(8n, rest)).equals(encodePoint(IDENTITY));
}

/** k, the hash that binds commitment, key and message. */
function challenge(key: TestDeviceKey, encodedR: Buffer, message: Buffer): bigint {
  return fromLittleEndian(sha512(encodedR, Buffer.from(key.x, 'base64url'), message)) % GROUP_ORDER;
}

function secretScalar(key: TestDeviceKey): bigint {
  const bytes = sha512(key.seed).subarray(0, 32);
  bytes.writeUInt8(bytes.readUInt8(0) & 0xf8, 0);
  bytes.writeUInt8((bytes.readUInt8(31) & 0x7f) | 0x40, 31);
  return fromLittleEndian(bytes);
}

function sha512(...parts: readonly Buffer[]): Buffer {
  return createHash('sha512').update(Buffer.concat(parts)).digest();
}
