/**
 * Does `work` for every item, for `count` of them at once; takes an item from the generator only when it is its turn. Throws
 * the first failure, after which no further item is taken.
 */
export async function forEachConcurrent<Item>(
  items: Generator<Item>,
  count: number,
  work: (item: Item) => Promise<unknown>,
): Promise<void> {
  // A loop that ends early ends the generator, and with it the others.
  const loop = async (): Promise<void> => {
    for (const item of items) await work(item);
  };
  await Promise.all(Array.from({ length: count }, loop));
}
