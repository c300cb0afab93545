import { namedDeviceKey } from '../support/signing.ts';
import type { PublicKeyVector } from './vector-types.ts';

const FIELD_ORDER = (1n << 255n) - 19n;
const SIGN_BIT = 1n << 255n;

/** y of the points of order 8, from d·y⁴ + 2·y² − 1 = 0; the public-key test checks that they solve it. */
const ORDER_EIGHT_Y = [
  '26e8958fc2b227b045c3f489f2ef98f0d5dfac05d3c63339b13802886d53fc05',
  'c7176a703d4dd84fba3c0b760d10670f2a2053fa2c39ccc64ec7fd7792ac037a',
] as const;

/** Raw public keys that may and may not be enrolled. */
export function publicKeyVectors(): readonly PublicKeyVector[] {
  const refused: [name: string, key: string][] = [
    ['order 1', littleEndian(1n)],
    ['order 2', littleEndian(FIELD_ORDER - 1n)],
    ['order 4', littleEndian(0n)],
    ['order 4, sign bit set', littleEndian(SIGN_BIT)],
    ['order 8, first', ORDER_EIGHT_Y[0]],
    ['order 8, first, sign bit set', withSignBit(ORDER_EIGHT_Y[0])],
    ['order 8, second', ORDER_EIGHT_Y[1]],
    ['order 8, second, sign bit set', withSignBit(ORDER_EIGHT_Y[1])],
    ['order 1 with the sign bit of minus zero', littleEndian(SIGN_BIT + 1n)],
    ['order 2 with the sign bit of minus zero', littleEndian(SIGN_BIT + FIELD_ORDER - 1n)],
    ['order 4 written as p', littleEndian(FIELD_ORDER)],
    ['order 1 written as p + 1', littleEndian(FIELD_ORDER + 1n)],
    ['p + 3: y = 3 not reduced', littleEndian(FIELD_ORDER + 3n)],
    ['p + 18: the largest text', littleEndian((1n << 255n) - 1n)],
    ['p + 18, sign bit set', 'ff'.repeat(32)],
    ['too short', '11'.repeat(31)],
    ['too long', '11'.repeat(33)],
    ['empty', ''],
  ];
  const accepted: [name: string, key: string][] = ['first', 'second', 'third'].map((name) => [
    `a device key: ${name}`,
    Buffer.from(namedDeviceKey(name).x, 'base64url').toString('hex'),
  ]);
  return [
    ...accepted.map(([name, key]) => ({ name, key, acceptable: true })),
    ...refused.map(([name, key]) => ({ name, key, acceptable: false })),
  ];
}

function littleEndian(value: bigint): string {
  return Buffer.from(value.toString(16).padStart(64, '0'), 'hex').reverse().toString('hex');
}

function withSignBit(key: string): string {
  const bytes = Buffer.from(key, 'hex');
  bytes.writeUInt8(bytes.readUInt8(31) | 0x80, 31);
  return bytes.toString('hex');
}
