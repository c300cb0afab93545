/**
 * Options of an `lru-cache` of at most this many entries, for large caches: with its own `max`, it allocates and fills
 * every place when it is created, which takes 7 ms at 65,536.
 */
export function atMost(entries: number): { readonly maxSize: number; readonly sizeCalculation: () => number } {
  return { maxSize: entries, sizeCalculation: () => 1 };
}
