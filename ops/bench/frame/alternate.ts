/**
 * Measures contestants, such as servers under load, alternately, so that changes of the machine's load affect all alike: each
 * order is followed by its reverse, and then begins with the next contestant, A B C, C B A, B C A, A C B and so on. Over
 * twice as many rounds as contestants, each is measured equally often first, last, and after itself, which is faster.
 * Returns each one's measurements in the order of the rounds: the n-th ones were taken next to each other.
 */
export async function alternate<T>(
  contestants: readonly { readonly name: string; readonly measure: () => Promise<T> }[],
  rounds: number,
): Promise<ReadonlyMap<string, readonly T[]>> {
  const taken = new Map<string, T[]>(contestants.map(({ name }) => [name, []]));
  for (let round = 0; round < rounds; round += 1) {
    const first = Math.floor(round / 2) % contestants.length;
    const turned = [...contestants.slice(first), ...contestants.slice(0, first)];
    const order = round % 2 === 0 ? turned : turned.toReversed();
    for (const { name, measure } of order) taken.get(name)?.push(await measure());
  }
  return taken;
}
