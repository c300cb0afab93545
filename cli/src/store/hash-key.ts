/** A 64-bit hash as two unsigned 32-bit halves. */
export interface KeyHash {
  readonly high: number;
  readonly low: number;
}

/**
 * Hashes a record's key. Two streams of multiply-and-rotate over the UTF-16 code units, finalized as in MurmurHash3. Not
 * resistant to attackers, who could write any counts into the logs anyway: among a million keys of one machine, the
 * probability of a collision is below one in ten million.
 */
export function hashKey(text: string): KeyHash {
  let high = 0x9e3779b9 ^ text.length;
  let low = 0x85ebca6b;
  for (let index = 0; index < text.length; index += 1) {
    const unit = text.charCodeAt(index);
    high = Math.imul(high ^ unit, 0xcc9e2d51);
    high = (high << 15) | (high >>> 17);
    low = Math.imul(low ^ unit, 0x1b873593);
    low = (low << 13) | (low >>> 19);
  }
  high = mix(high ^ Math.imul(low, 0x9e3779b1));
  low = mix(low ^ Math.imul(high, 0x85ebca77));
  return { high, low };
}

/** A 32-bit hash that is never 0, which stands for "no request". */
export function hashRequest(text: string): number {
  const { high, low } = hashKey(text);
  return (high ^ low) >>> 0 || 1;
}

function mix(value: number): number {
  let mixed = value ^ (value >>> 16);
  mixed = Math.imul(mixed, 0x85ebca6b);
  mixed ^= mixed >>> 13;
  mixed = Math.imul(mixed, 0xc2b2ae35);
  return (mixed ^ (mixed >>> 16)) >>> 0;
}
