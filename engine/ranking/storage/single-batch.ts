/** A first reply holds 101 documents unless more are asked for, and what is left costs a second command. */
export function singleBatch(keys: readonly number[]): { readonly batchSize: number } {
  return { batchSize: keys.length + 1 };
}
