/**
 * Measures contestants, such as servers under load, alternately, A B C C B A, so that changes of the machine's load affect all alike.
 * Returns each one's measurements in the order of the rounds: the n-th ones were taken next to each other.
 */
export async function alternate<T>(
  contestants: readonly { readonly name: string; readonly measure: () => Promise<T> }[],
  rounds: number,
): Promise<ReadonlyMap<string, readonly T[]>> {
  const taken = new Map<string, T[]>(contestants.map(({ name }) => [name, []]));
  for (let round = 0; round < rounds; round += 1) {
    // Every other round is reversed: no contestant always follows the same one.
    const order = round % 2 === 0 ? contestants : contestants.toReversed();
    for (const { name, measure } of order) taken.get(name)?.push(await measure());
  }
  return taken;
}
