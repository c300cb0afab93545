/**
 * Find options for one reply with all keys. The default first reply holds 101 documents; the rest would cost a second
 * command.
 */
export function singleBatch(keys: readonly number[]): { readonly batchSize: number } {
  return { batchSize: keys.length + 1 };
}
