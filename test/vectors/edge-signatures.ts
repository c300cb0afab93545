import { createHash } from 'node:crypto';
import type { TestDeviceKey } from '../support/signing.ts';

/** L, the order of the base point (RFC 8032, section 5.1). */
const GROUP_ORDER = (1n << 252n) + 27742317777372353535851937790883648493n;

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
  const k = fromLittleEndian(sha512(r, Buffer.from(key.x, 'base64url'), message)) % GROUP_ORDER;
  return Buffer.concat([r, toLittleEndian((k * secretScalar(key)) % GROUP_ORDER)]);
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

function fromLittleEndian(bytes: Buffer): bigint {
  return BigInt(`0x${Buffer.from(bytes).reverse().toString('hex')}`);
}

function toLittleEndian(value: bigint): Buffer {
  return Buffer.from(value.toString(16).padStart(64, '0'), 'hex').reverse();
}
