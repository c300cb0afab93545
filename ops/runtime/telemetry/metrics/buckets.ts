/** Histogram buckets for short work (a request, a commit), in seconds. */
export const SHORT_WORK_SECONDS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];

/** Histogram buckets for queue waits and job runs, in seconds; the longest jobs read every record. */
export const WAITING_SECONDS = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 300, 1800];

/** Histogram buckets for the number of items handled in one step. */
export const BATCH_SIZES = [1, 2, 5, 10, 25, 50, 100, 250, 500, 1_000, 2_500, 10_000, 100_000];
