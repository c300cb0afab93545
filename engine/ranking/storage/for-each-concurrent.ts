/** Takes an item only when one of `count` calls is free. Throws the first failure, after which it takes none. */
export async function forEachConcurrent<Item>(
  items: Generator<Item>,
  count: number,
  work: (item: Item) => Promise<unknown>,
): Promise<void> {
  // A failing loop closes the generator, which also ends the other loops.
  const loop = async (): Promise<void> => {
    for (const item of items) await work(item);
  };
  await Promise.all(Array.from({ length: count }, loop));
}

/** Every `step`-th number of [from, until). */
export function* steps(from: number, until: number, step: number): Generator<number> {
  for (let at = from; at < until; at += step) yield at;
}
