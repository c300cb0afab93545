const KEY_BYTES = 32;

/** p = 2^255 − 19, the field's order, little-endian as in RFC 8032. */
const FIELD_ORDER: Uint8Array = Buffer.concat([Buffer.of(0xed), Buffer.alloc(30, 0xff), Buffer.of(0x7f)]);

/**
 * The y coordinates of the eight points whose order divides 8, with the sign bit cleared: 0, 1, −1 and the two of order 8.
 * (The points of order 8 are the roots of d·y⁴ + 2·y² − 1.)
 */
const SMALL_ORDER_Y: ReadonlySet<string> = new Set([
  '0000000000000000000000000000000000000000000000000000000000000000',
  '0100000000000000000000000000000000000000000000000000000000000000',
  'ecffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f',
  '26e8958fc2b227b045c3f489f2ef98f0d5dfac05d3c63339b13802886d53fc05',
  'c7176a703d4dd84fba3c0b760d10670f2a2053fa2c39ccc64ec7fd7792ac037a',
]);

/**
 * Whether a raw Ed25519 public key may be enrolled: 32 bytes, canonically encoded, and not a point of small order.
 *
 * Libraries disagree on other keys, and under a small-order key one signature verifies for many messages. Refusing them here
 * makes all verifiers agree on a key's owner. Whether the bytes encode a curve point is shown by the signature of the
 * enrolment proof.
 */
export function isAcceptablePublicKey(key: Uint8Array): boolean {
  if (key.length !== KEY_BYTES) return false;
  const y = Buffer.from(key);
  y[KEY_BYTES - 1] = (y[KEY_BYTES - 1] ?? 0) & 0x7f;
  return isBelowFieldOrder(y) && !SMALL_ORDER_Y.has(y.toString('hex'));
}

function isBelowFieldOrder(y: Uint8Array): boolean {
  for (let index = KEY_BYTES - 1; index >= 0; index -= 1) {
    const difference = (y[index] ?? 0) - (FIELD_ORDER[index] ?? 0);
    if (difference !== 0) return difference < 0;
  }
  return false;
}
