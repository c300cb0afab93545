/** The four token counts of a snapshot, in tokens: finite, at least 0, at most `MAX_COUNT`, possibly fractional. */
export interface Counts {
  readonly input: number;
  readonly output: number;
  readonly cache_read: number;
  readonly cache_write: number;
}

/** The fields of `Counts`, in the order in which they are stored, summed and printed. */
export const COUNT_FIELDS = ['input', 'output', 'cache_read', 'cache_write'] as const;

/** The largest accepted count: the largest integer that a double represents exactly. */
export const MAX_COUNT = Number.MAX_SAFE_INTEGER;
