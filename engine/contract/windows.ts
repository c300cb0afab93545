/** The windows a board is kept for, in the order in which every table, page and segment stores them. */
export const WINDOWS = ['all_time', '7d', '30d', '90d'] as const;

export type Window = (typeof WINDOWS)[number];
