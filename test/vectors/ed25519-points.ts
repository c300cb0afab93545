/** The group of Ed25519 in affine coordinates (RFC 8032, section 5.1): slow, and written for tests alone. */
export interface Point {
  readonly x: bigint;
  readonly y: bigint;
}

/** p = 2^255 − 19. */
const P = (1n << 255n) - 19n;
/** L, the order of the base point. */
export const GROUP_ORDER = (1n << 252n) + 27742317777372353535851937790883648493n;
const D = mod(-121665n * inverse(121666n));
const ROOT_OF_MINUS_ONE = power(2n, (P - 1n) / 4n);

export const IDENTITY: Point = { x: 0n, y: 1n };
export const BASE: Point = decodePoint(`58${'66'.repeat(31)}`);

/** A point of each order that divides the cofactor. */
export const TORSION: Readonly<Record<1 | 2 | 4 | 8, Point>> = {
  1: IDENTITY,
  2: { x: 0n, y: P - 1n },
  4: { x: ROOT_OF_MINUS_ONE, y: 0n },
  8: decodePoint('c7176a703d4dd84fba3c0b760d10670f2a2053fa2c39ccc64ec7fd7792ac037a'),
};

export function add(one: Point, other: Point): Point {
  const product = mod(D * one.x * other.x * one.y * other.y);
  return {
    x: mod((one.x * other.y + other.x * one.y) * inverse(1n + product)),
    y: mod((one.y * other.y + one.x * other.x) * inverse(1n - product)),
  };
}

export function multiply(scalar: bigint, point: Point): Point {
  let sum = IDENTITY;
  let doubled = point;
  for (let rest = scalar; rest > 0n; rest >>= 1n) {
    if ((rest & 1n) === 1n) sum = add(sum, doubled);
    doubled = add(doubled, doubled);
  }
  return sum;
}

export function negate({ x, y }: Point): Point {
  return { x: mod(-x), y };
}

export function encodePoint({ x, y }: Point): Buffer {
  return toLittleEndian(y | ((x & 1n) << 255n));
}

/** Decodes little-endian hex, or bytes, of a point of the curve. */
export function decodePoint(encoded: string | Uint8Array): Point {
  const text = fromLittleEndian(typeof encoded === 'string' ? Buffer.from(encoded, 'hex') : encoded);
  const y = text & ((1n << 255n) - 1n);
  const square = mod((y * y - 1n) * inverse(D * y * y + 1n));
  const candidate = power(square, (P + 3n) / 8n);
  const root = mod(candidate * candidate) === square ? candidate : mod(candidate * ROOT_OF_MINUS_ONE);
  if (mod(root * root) !== square) throw new Error('not a point of the curve');
  return { x: (root & 1n) === text >> 255n ? root : mod(-root), y };
}

export function fromLittleEndian(bytes: Uint8Array): bigint {
  return BigInt(`0x${Buffer.from(bytes).reverse().toString('hex')}`);
}

export function toLittleEndian(value: bigint): Buffer {
  return Buffer.from(value.toString(16).padStart(64, '0'), 'hex').reverse();
}

function mod(value: bigint): bigint {
  const rest = value % P;
  return rest < 0n ? rest + P : rest;
}

/** By Euclid's algorithm, which takes a tenth of the time of a power. */
function inverse(value: bigint): bigint {
  let [rest, next] = [P, mod(value)];
  let [factor, nextFactor] = [0n, 1n];
  while (next !== 0n) {
    const quotient = rest / next;
    [rest, next] = [next, rest - quotient * next];
    [factor, nextFactor] = [nextFactor, factor - quotient * nextFactor];
  }
  return mod(factor);
}

function power(base: bigint, exponent: bigint): bigint {
  let result = 1n;
  let squared = mod(base);
  for (let rest = exponent; rest > 0n; rest >>= 1n) {
    if ((rest & 1n) === 1n) result = mod(result * squared);
    squared = mod(squared * squared);
  }
  return result;
}
