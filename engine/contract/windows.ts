/** The windows of a board, in the order of every stored table, page and segment. */
export const WINDOWS = ['all_time', '7d', '30d', '90d'] as const;

export type Window = (typeof WINDOWS)[number];

/** Creates a value for each window from its index in `WINDOWS`. */
export function byWindow<T>(of: (window: number) => T): Record<Window, T> {
  return { all_time: of(0), '7d': of(1), '30d': of(2), '90d': of(3) };
}
