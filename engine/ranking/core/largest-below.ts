/** The largest double below `value`, which must be above 0 and finite. */
export function largestBelow(value: number): number {
  if (!(value > 0) || !Number.isFinite(value)) throw new RangeError(`${value} is not a positive finite number`);
  // The bit patterns of positive doubles, read as integers, have the same order as the values.
  const bits = new BigUint64Array(Float64Array.of(value).buffer);
  bits[0]! -= 1n;
  return new Float64Array(bits.buffer)[0]!;
}
