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

/** The median of the ratios of measurements of the same round. */
export function medianRatio(values: readonly number[], peers: readonly number[]): number {
  return median(values.map((value, round) => value / (peers[round] ?? Number.NaN)));
}

/** Runs `work` and returns its value and its duration in milliseconds. */
export async function timed<T>(work: () => Promise<T>): Promise<{ readonly ms: number; readonly value: T }> {
  const started = performance.now();
  const value = await work();
  return { ms: performance.now() - started, value };
}

/**
 * Measures contestants, such as servers under load, alternately, so that changes of the machine's load affect all alike: each
 * order is followed by its reverse, and then begins with the next contestant, A B C, C B A, B C A, A C B and so on. Over
 * twice as many rounds as contestants, each is measured equally often first, last, and after itself, which is faster.
 * Returns each one's measurements in the order of the rounds: the n-th ones were taken next to each other.
 */
export async function alternate<Contestant, T>(
  contestants: readonly Contestant[],
  rounds: number,
  measure: (contestant: Contestant) => Promise<T>,
): Promise<readonly (readonly T[])[]> {
  const taken = contestants.map((): T[] => []);
  const places = [...contestants.entries()];
  for (let round = 0; round < rounds; round += 1) {
    const first = Math.floor(round / 2) % contestants.length;
    const turned = [...places.slice(first), ...places.slice(0, first)];
    for (const [place, contestant] of round % 2 === 0 ? turned : turned.toReversed()) {
      taken[place]!.push(await measure(contestant));
    }
  }
  return taken;
}
