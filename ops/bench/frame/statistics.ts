/** The middle value; for an even number, the mean of the two middle ones. NaN for an empty array. */
export function median(values: readonly number[]): number {
  const sorted = values.toSorted((one, other) => one - other);
  const middle = Math.floor(sorted.length / 2);
  if (sorted.length % 2 === 1) return sorted[middle]!;
  return sorted.length === 0 ? Number.NaN : (sorted[middle - 1]! + sorted[middle]!) / 2;
}

/** The value below which a share (0 to 1) of the values lies; NaN for an empty array. */
export function quantile(values: readonly number[], share: number): number {
  const sorted = values.toSorted((one, other) => one - other);
  return sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))] ?? Number.NaN;
}

export function sum(values: Iterable<number>): number {
  let total = 0;
  for (const value of values) total += value;
  return total;
}

/** NaN for an empty array. */
export function mean(values: readonly number[]): number {
  return sum(values) / values.length;
}

/** Rounds to three significant digits. */
export function threeDigits(value: number): number {
  return Number(value.toPrecision(3));
}

/** Runs `work` and returns its value and its duration in milliseconds. */
export async function timed<T>(work: () => Promise<T>): Promise<{ readonly ms: number; readonly value: T }> {
  const started = performance.now();
  const value = await work();
  return { ms: performance.now() - started, value };
}
