/** The windows a board is kept for, in the order in which every table, page and segment stores them. */
export const WINDOWS = ['all_time', '7d', '30d', '90d'] as const;

export type Window = (typeof WINDOWS)[number];

/** A value for each window, made from its place in `WINDOWS`. */
export function byWindow<T>(of: (window: number) => T): Record<Window, T> {
  return { all_time: of(0), '7d': of(1), '30d': of(2), '90d': of(3) };
}
