/** The largest double below `value`, which must be above 0 and finite. */
export function largestBelow(value: number): number {
  if (!(value > 0) || !Number.isFinite(value)) throw new RangeError(`${value} is not a positive finite number`);
  // Positive doubles are ordered as their bits are.
  const bits = new BigUint64Array(Float64Array.of(value).buffer);
  bits[0]! -= 1n;
  return new Float64Array(bits.buffer)[0]!;
}
